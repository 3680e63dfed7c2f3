// What a screen shows: sentences, numbers, lights, charts.

import { Figure, Row } from '../parts/figure.js';
import { Unbroken } from '../parts/worded.js';
import type { LabScreen } from './asking.js';
import { hidden, lab } from './state.js';

/** What happened and why, and what holds. */
export function Said({ shown: { outcome } }: { shown: LabScreen }) {
  const said = hidden('answers') ? [] : outcome.sentences;
  return (
    <>
      {said.length > 0 && (
        <div class="result" role="status">
          {said.map((text, i) => (
            <p key={i}>
              <Unbroken>{text}</Unbroken>
            </p>
          ))}
        </div>
      )}
      {outcome.outcomes.length > 0 && outcome.outcomes.length <= 100 && (
        <p class="days">
          <span
            role="img"
            aria-label={`${outcome.outcomes.filter((y) => y === 1).length} of ${outcome.outcomes.length} days with rain`}
          >
            {outcome.outcomes.map((y) => (y === 1 ? '●' : '○')).join(' ')}
          </span>
        </p>
      )}
    </>
  );
}

interface Props {
  shown: LabScreen;
  /** charts side by side */
  across: number;
  /** the one chart of a projector; all where it is left out */
  only?: number;
  /** a chart with what a person drew before */
  marked?: (id: string, figure: wasm_bindgen.Figure) => wasm_bindgen.Figure;
  /** what the marks depend on */
  of?: unknown;
}
/** Numbers that are the answer of a question themselves. */
const ANSWERS = ['least', 'best_gamma', 'best'];
/** Lights, charts, numbers. */
export function Result({ shown: { outcome, columns }, across, only, marked = (_, figure) => figure, of }: Props) {
  const { screen } = lab.value;
  const charts =
    only === undefined ? outcome.charts : outcome.charts.filter((_, i) => i === only % outcome.charts.length);
  const numbers = outcome.numbers.filter(({ id }) => !(hidden('answers') && ANSWERS.includes(id)));
  return (
    <>
      {outcome.lights.length > 0 && (
        <ul class="lights">
          {outcome.lights.map(({ name, on }) => (
            <li key={name} class={on ? 'on' : 'off'}>
              {on ? '✓' : '✗'} {name}
            </li>
          ))}
        </ul>
      )}
      <div class={`charts ${across === 2 ? 'two' : ''}`}>
        <Row figures={charts.map(({ figure }) => figure)}>
          {charts.map(({ id, figure }) => (
            <div key={id} class="one" data-chart={id}>
              <Figure
                name={`lab-${screen}-${id}`}
                untitled
                ask={async () => ({ outcome: { figure: marked(id, figure) }, columns })}
                of={[figure, of]}
              />
            </div>
          ))}
        </Row>
      </div>
      {numbers.length > 0 && (
        <dl class="numbers">
          {numbers.map(({ id, name, text, beside }) => (
            <div key={id} data-number={id}>
              <dt>{name}</dt>
              <dd>
                <span class="number">
                  <Unbroken>{text}</Unbroken>
                </span>{' '}
                {beside !== '' && <span class="muted">{beside}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
