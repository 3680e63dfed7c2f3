// What a screen shows: sentences, numbers, lights, charts.

import { Figure } from '../parts/figure.js';
import type { Room, Shown } from './asking.js';
import { hidden, lab } from './state.js';

interface Props {
  shown: Shown;
  room: Room;
  /** whether what explains the result is said */
  explains?: boolean;
  /** the one chart of a projector; all where it is left out */
  only?: number;
}
export function Result({ shown: { outcome, columns }, room, explains = true, only }: Props) {
  const { screen } = lab.value;
  const said = explains && !hidden('answers') ? outcome.sentences : [];
  const charts =
    only === undefined ? outcome.charts : outcome.charts.filter((_, i) => i === only % outcome.charts.length);
  return (
    <>
      {said.length > 0 && (
        <div class="result" role="status">
          {said.map((text, i) => (
            <p key={i}>{text}</p>
          ))}
        </div>
      )}
      {outcome.lights.length > 0 && (
        <ul class="lights">
          {outcome.lights.map(({ name, on }) => (
            <li key={name} class={on ? 'on' : 'off'}>
              {on ? '✓' : '✗'} {name}
            </li>
          ))}
        </ul>
      )}
      {outcome.outcomes.length > 0 && outcome.outcomes.length <= 100 && (
        <p
          class="days"
          aria-label={`${outcome.outcomes.filter((y) => y === 1).length} of ${outcome.outcomes.length} days with rain`}
        >
          {outcome.outcomes.map((y) => (y === 1 ? '●' : '○')).join(' ')}
        </p>
      )}
      <div class={`charts ${room.across === 2 ? 'two' : ''}`}>
        {charts.map(({ id, figure }) => (
          <div key={id} class="one" data-chart={id}>
            <Figure
              name={`lab-${screen}-${id}`}
              untitled
              ask={async () => ({ outcome: { figure }, columns })}
              of={[figure]}
            />
          </div>
        ))}
      </div>
      {outcome.numbers.length > 0 && (
        <dl class="numbers">
          {outcome.numbers.map(({ id, name, text, beside }) => (
            <div key={id} data-number={id}>
              <dt>{name}</dt>
              <dd>
                <span class="number">{text}</span> {beside !== '' && <span class="muted">{beside}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
