// Screen 5: twenty small diagrams, one of them of the miscalibrated model.

import { useEffect, useRef } from 'preact/hooks';
import { painter } from '../engine/core.js';
import { forcedColors } from '../engine/theme.js';
import { Figure } from '../parts/figure.js';
import { showError } from '../parts/message.js';
import { isBusy, useRoom, useShown } from './asking.js';
import type { Room, LabScreen } from './asking.js';
import { HandleOf, Whole } from './handles.js';
import { answer, answers, hidden, lab, requestOf } from './state.js';

const PANELS = 20;

/** A figure painted without anything round it. */
function Tile({ shown, id, room }: { shown: LabScreen; id: string; room: Room }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = shown.outcome.charts.find((one) => one.id === id);
  useEffect(() => {
    if (!chart) return;
    painter()
      .then(({ Drawing }) => {
        const drawing = new Drawing(JSON.stringify(chart.figure), shown.columns);
        if (canvas.current) drawing.draw(canvas.current, room.dark, devicePixelRatio || 1, forcedColors());
        drawing.free();
      })
      .catch(showError);
  }, [chart, room.dark]);
  return <canvas ref={canvas} />;
}

export function LineUp() {
  const now = lab.value;
  const { element, room } = useRoom(now.view === 'projector');
  // a tap belongs to the line-up that it was made on
  const key = `tap-${now.lesson}-${now.k}-${now.level}`;
  const tapped = answers.value[5]?.[key];
  const tap = tapped === undefined ? undefined : Number(tapped);
  const request =
    room.width > 0 ? { ...requestOf(now), width: room.width, dpr: devicePixelRatio || 1, dark: room.dark } : null;
  const wanted = request && (tap === undefined ? request : { ...request, tap });
  const shown = useShown(wanted);
  // what is drawn may still be the line-up before: no one taps on that
  const drawn =
    shown !== null && (['lesson', 'k', 'level'] as const).every((part) => shown.request[part] === now[part]);
  const real = drawn ? shown.outcome.right : undefined;
  const power = shown?.outcome.charts.find(({ id }) => id === 'power');
  return (
    <>
      <p class="ask">
        Nineteen of these diagrams show a calibrated model, one an overconfident one (T = 1.4). Tap the odd one.
      </p>
      <div class="handles">
        <HandleOf name="level" />
        {!hidden('handles') && (
          <p class="row">
            <Whole name="k" label="Your number k" low={1} high={100} />
            <Whole name="lesson" label="Lesson" low={1} high={22} />
          </p>
        )}
      </div>
      {tap !== undefined && drawn && (
        <div class="result" role="status">
          {!hidden('answers') && shown.outcome.sentences.map((text, i) => <p key={i}>{text}</p>)}
          {shown.outcome.code && (
            <p>
              Code for your teacher: <strong class="code">{shown.outcome.code}</strong>
            </p>
          )}
        </div>
      )}
      <div ref={element} aria-busy={isBusy(shown, wanted)}>
        <ol class="panels">
          {Array.from({ length: PANELS }, (_, i) => (
            <li key={i}>
              <button
                type="button"
                class={`panel ${tap === i ? 'tapped' : ''} ${real === String(i) && !hidden('answers') ? 'real' : ''}`}
                disabled={tap !== undefined || !drawn}
                aria-label={[
                  `Panel ${i + 1}`,
                  ...(tap === i ? ['your choice'] : []),
                  ...(real === String(i) && !hidden('answers') ? ['the miscalibrated model'] : []),
                ].join(', ')}
                onClick={() => answer(key, String(i))}
              >
                {shown && <Tile shown={shown} id={`panel-${i}`} room={room} />}
                <span class="number">{i + 1}</span>
              </button>
            </li>
          ))}
        </ol>
        {power && !hidden('answers') && (
          <Figure
            name="line-up-power"
            ask={async () => ({ outcome: { figure: power.figure }, columns: shown?.columns ?? [] })}
            of={[power]}
          />
        )}
      </div>
    </>
  );
}
