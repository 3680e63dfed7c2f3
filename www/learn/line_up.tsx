// Screen 5: twenty small diagrams, one of them of the miscalibrated model.

import { useEffect, useRef } from 'preact/hooks';
import { painter } from '../engine/core.js';
import { forcedColors } from '../engine/theme.js';
import { Figure } from '../parts/figure.js';
import { showError } from '../parts/message.js';
import { Unbroken } from '../parts/worded.js';
import { isBusy, useRoom, useShown } from './asking.js';
import type { Room, LabScreen } from './asking.js';
import { HandleOf, Whole } from './handles.js';
import { pointsInWords, unnamed } from './prediction.js';
import { answer, answers, hidden, lab, requestOf } from './state.js';

const PANELS = 20;

interface TileProps {
  figure: wasm_bindgen.Figure;
  columns: LabScreen['columns'];
  room: Room;
}
/** A diagram painted without anything round it, as sharp as it is large. */
function Tile({ figure: whole, columns, room }: TileProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    painter()
      .then(({ Drawing }) => {
        const figure = unnamed(whole);
        const drawing = new Drawing(JSON.stringify(figure), columns);
        if (canvas.current) {
          const wider = Math.max(1, canvas.current.clientWidth / figure.width);
          drawing.draw(canvas.current, room.dark, wider * room.dpr, forcedColors());
        }
        drawing.free();
      })
      .catch(showError);
  }, [whole, room.width, room.dpr, room.dark]);
  return <canvas ref={canvas} />;
}

export function LineUp() {
  const now = lab.value;
  const { element, room } = useRoom(now.view === 'projector');
  // a tap belongs to the line-up that it was made on
  const key = `tap-${now.lesson}-${now.k}-${now.level}`;
  const tapped = answers.value[5]?.[key];
  const tap = tapped === undefined ? undefined : Number(tapped);
  const request = room.width > 0 ? { ...requestOf(now), ...room } : null;
  const wanted = request && (tap === undefined ? request : { ...request, tap });
  const shown = useShown(wanted);
  // what is drawn may still be the line-up before: no one taps on that
  const drawn =
    shown !== null && (['lesson', 'k', 'level'] as const).every((part) => shown.request[part] === now[part]);
  const real = drawn ? shown.outcome.right : undefined;
  const figureOf = (i: number) => shown?.outcome.charts.find(({ id }) => id === `panel-${i}`)?.figure;
  const power = shown?.outcome.charts.find(({ id }) => id === 'power');
  return (
    <div class="line-up">
      <div class="said">
        <p class="ask">
          <Unbroken>
            Nineteen of these diagrams show a calibrated model, one an overconfident one (T = 1.4). Tap the odd one.
          </Unbroken>
        </p>
        <div class="row">
          <HandleOf name="level" />
          {!hidden('handles') && (
            <>
              <Whole name="k" label="Your number k" low={1} high={100} />
              <Whole name="lesson" label="Lesson" low={1} high={22} />
            </>
          )}
        </div>
        {tap !== undefined && drawn && (
          <div class="result" role="status">
            {!hidden('answers') &&
              shown.outcome.sentences.map((text) => (
                <p key={text}>
                  <Unbroken>{text}</Unbroken>
                </p>
              ))}
            {shown.outcome.code && (
              <p>
                Code for your teacher: <strong class="code">{shown.outcome.code}</strong>
              </p>
            )}
          </div>
        )}
      </div>
      <div class="results" ref={element} aria-busy={isBusy(shown, wanted)}>
        <p class="muted">Each diagram: predicted probability across, observed proportion up, both from 0 to 1.</p>
        <ol class="panels">
          {Array.from({ length: PANELS }, (_, i) => figureOf(i)).map((figure, i) => (
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
                aria-description={figure && pointsInWords(figure)}
                onClick={() => answer(key, String(i))}
              >
                {shown && figure && <Tile figure={figure} columns={shown.columns} room={room} />}
                <span class="number">{i + 1}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      {power && !hidden('answers') && (
        <div class="power">
          <Figure
            name="line-up-power"
            ask={async () => ({ outcome: { figure: power.figure }, columns: shown?.columns ?? [] })}
            of={[power]}
          />
        </div>
      )}
    </div>
  );
}
