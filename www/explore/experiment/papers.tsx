// The papers: their figures and tables, made for the open file, in their order.

import { useEffect, useRef } from 'preact/hooks';
import { Blocks, roomOf } from '../../parts/block.js';
import { Figure } from '../../parts/figure.js';
import { Said } from '../../parts/message.js';
import { Question } from '../../parts/panel.js';
import { Worded } from '../../parts/worded.js';
import { counted, whole } from '../../parts/words.js';
import { EXPERIMENT, replace } from '../../state/experiment.js';
import { asking, open, panels, set } from '../../state/store.js';
import { fromAllRows } from '../../subject/similarity_line.js';
import { drawn } from '../questions.js';
import type { Paper, Part, MadePart } from './making.js';
import { askPapers, cancel, make, papers, standOf } from './making.js';
import { ExperimentResults } from './results.js';

const PAPERS = 'papers';

/** Experiments that the papers have prepared, by paper. */
export const prepared = (): { title: string; parts: { title: string; spec: wasm_bindgen.ExperimentSpec }[] }[] =>
  (papers() ?? [])
    .map(({ title, parts }) => ({
      title,
      parts: parts.flatMap(({ id, title: name, made }) =>
        'experiment' in made ? [{ title: `${capital(id)}: ${name}`, spec: made.experiment }] : [],
      ),
    }))
    .filter(({ parts }) => parts.length > 0);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Has the papers asked for, where a person shows them. */
export function usePapers() {
  useEffect(askPapers, [open.value?.data]);
}

export function Papers() {
  usePapers();
  const place = useRef<HTMLDivElement>(null);
  const all = papers();
  const chosen = panels.value[PAPERS]?.paper;
  const paper = all?.find(({ id }) => id === chosen) ?? all?.[0];
  return (
    <Question {...drawn(PAPERS)}>
      <div class="answer papers" ref={place}>
        {!all && <p class="pending">Preparing analyses …</p>}
        {all?.length === 0 && <p>No published analysis applies to this file.</p>}
        {all && paper && (
          <>
            <p class="row" role="group" aria-label="Paper">
              {all.map(({ id, title }) => (
                <button
                  key={id}
                  type="button"
                  class="quiet"
                  aria-pressed={id === paper.id}
                  onClick={() => set(PAPERS, 'paper', id)}
                >
                  {title}
                </button>
              ))}
            </p>
            <OnePaper key={paper.id} paper={paper} width={() => roomOf(place.current)} />
          </>
        )}
      </div>
    </Question>
  );
}

function OnePaper({ paper, width }: { paper: Paper; width: () => number }) {
  const can = paper.parts.filter(({ made }) => !('cannot' in made));
  const stands = can.map((part) => standOf(paper, part)?.is);
  const made = stands.filter((is) => is === 'made').length;
  const under = stands.some((is) => is === 'makes' || is === 'waits');
  const left = can.filter((_, i) => stands[i] === undefined || stands[i] === 'fault');
  const everyone = fromAllRows();
  return (
    <>
      <p class="muted">{paper.citation}</p>
      {paper.note && <p class="muted note">{paper.note}</p>}
      {everyone && <p class="muted always">{everyone}</p>}
      <p class="row">
        {under ? (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          left.length > 0 && (
            <button type="button" class="primary" onClick={() => make(paper, left, width())}>
              {made > 0 ? `Compute remaining ${whole(left.length)}` : 'Compute all'}
            </button>
          )
        )}
        <span class="muted" id="papers-progress">
          {whole(can.length)} of {counted(paper.parts.length, 'part')} available for this file
          {made > 0 && `; ${whole(made)} complete`}
        </span>
      </p>
      {paper.parts.map((part) => (
        <OnePart key={part.id} paper={paper} part={part} width={width} />
      ))}
    </>
  );
}

function OnePart({ paper, part, width }: { paper: Paper; part: Part; width: () => number }) {
  const { id, title, note, made } = part;
  const stand = standOf(paper, part);
  return (
    <section
      class="paper-part"
      data-part={id}
      aria-label={`${capital(id)}: ${title}`}
      aria-busy={stand?.is === 'makes'}
    >
      <header class="part-head">
        <h3>
          {capital(id)} <span class="muted">{title}</span>
        </h3>
        {'cannot' in made ? null : (
          <p class="row tools">
            {(!stand || stand.is === 'fault') && (
              <button
                type="button"
                class="quiet"
                aria-label={`Compute ${id}`}
                onClick={() => make(paper, [part], width())}
              >
                Compute
              </button>
            )}
            {stand?.is === 'makes' && <span class="muted">Computing …</span>}
            {stand?.is === 'waits' && <span class="muted">Waiting</span>}
            {'experiment' in made && (
              <button
                type="button"
                class="quiet"
                aria-label={`Edit in Experiments: ${id}`}
                onClick={() => {
                  replace(made.experiment);
                  asking.value = EXPERIMENT;
                }}
              >
                Edit in Experiments
              </button>
            )}
          </p>
        )}
      </header>
      {'cannot' in made && (
        <p class="muted">
          Not available: <Worded>{made.cannot}</Worded>
        </p>
      )}
      {note && (
        <p class="muted note">
          <Worded>{note}</Worded>
        </p>
      )}
      {stand?.is === 'fault' && (
        <div class="alert" role="alert">
          <Said error={stand.error} />
        </div>
      )}
      {stand?.is === 'made' && <Made name={`${paper.id}-${id.replaceAll(' ', '-')}`} shown={stand.shown} />}
    </section>
  );
}

function Made({ name, shown }: { name: string; shown: MadePart }) {
  if ('figure' in shown) return <Figure name={name} of={[shown]} ask={async () => shown.figure} />;
  if ('experiment' in shown)
    return <ExperimentResults name={name} found={shown.experiment} of={open.value!.data} width={0} />;
  const { sheet, columns } = shown;
  return (
    <Blocks name={name} blocks={sheet.blocks} of={shown} drawn={async () => ({ blocks: sheet.blocks, columns })} />
  );
}
