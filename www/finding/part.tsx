// A part of the finding: its sentence, and what the core shows for it.

import type { ComponentChildren } from 'preact';
import type { Column } from '../engine/messages.js';
import type { AnswerState } from '../parts/analysis.js';
import { Blocks } from '../parts/block.js';
import { Named } from '../parts/figure.js';
import { TroubleView } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { Unbroken } from '../parts/worded.js';
import { unsaid } from '../parts/words.js';

type Block = wasm_bindgen.Block;
type Name = wasm_bindgen.PartName;
type FoundPart = Omit<wasm_bindgen.FindingPart, 'blocks'> & { blocks: Block[] };
/** What `data.analyse("finding")` answers on the page. */
export type FindingAnswer = Omit<wasm_bindgen.FindingOutcome, 'parts'> & { parts: FoundPart[]; columns: Column[] };

interface Props {
  id: Name;
  title: string;
  asked: AnswerState<FindingAnswer>;
  /** the sentence of the whole finding, which no part says again */
  said: string | null;
  /** the answer that says the part's own sentence, where that is another one; it then comes last */
  wording?: FindingAnswer | null;
  /** the sentence in a few words, which stand before it, and what it says beside them */
  brief?: Pick<wasm_bindgen.Advice, 'method' | 'short' | 'rest' | 'statements' | 'whom'> | null;
  /** a part of another answer whose figure shows the same and more: it stands here, once it is there */
  figure?: { asked: AnswerState<FindingAnswer>; id: Name };
  /** its figure is elsewhere */
  plain?: boolean;
  /** is below what the core shows */
  children?: ComponentChildren;
}
export function FindingPart({ id, title, asked, said, wording, brief, figure, plain = false, children }: Props) {
  const { answer, fit, trouble, stale, current } = asked;
  const part = partOf(answer, id);
  const waiting = !part && !trouble;
  if (waiting && answer && current) return null;
  const better = figure?.asked.current && drawingOf(figure.asked.answer, figure.id) ? figure : null;
  const drawn = async (width: number) => {
    const wide = await fit!(width);
    const own = partOf(wide, id)?.blocks ?? [];
    const more = better && (await better.asked.fit!(width));
    const drawing = better && drawingOf(more, better.id);
    return drawing ? { blocks: own.map(drawing), columns: more!.columns } : { blocks: own, columns: wide.columns };
  };
  const last = wording !== undefined;
  const says = last ? wording : answer;
  const worded = partOf(says, id);
  // the words above it say the first of its sentences
  const own = brief?.rest ?? worded?.heading ?? null;
  // what the finding says is not said again, and a part says nothing twice
  const again = worded?.repeated === 'blocks' || (worded?.repeated === 'finding' && says?.sentence === said);
  // the table of the effects is the first, where a method is recommended that may have some
  const affects = brief && brief.method !== 'none' && brief.whom.length > 0;
  const effects = affects ? (part?.blocks ?? []).find(isTable) : undefined;
  // of the subgroups the table says the same
  const [first = own, ...others] =
    brief?.statements.filter(({ about }) => !(effects && about === 'subgroup')).map(({ text }) => text) ?? [];
  const tells = own !== null && !again && (
    <>
      <p>
        <Unbroken>{first ?? ''}</Unbroken>
      </p>
      {effects && <Effects {...effects.table} />}
      {others.map((text, i) => (
        <p key={i} class="statement">
          <Unbroken>{text}</Unbroken>
        </p>
      ))}
    </>
  );
  const blocks = (part?.blocks ?? []).map((block) =>
    tells && isText(block) ? { text: unsaid(block.text, own) } : block,
  );
  // what is known only once everything has been examined: the test of change over time
  const known = (part?.blocks ?? []).filter(isText).map(({ text }) => text);
  const later = (last ? (worded?.blocks ?? []) : [])
    .filter(isText)
    .flatMap(({ text }) => (known.includes(text) ? [] : text));
  // where a figure or the sentence says it, numbers and methods are a click away
  const folds = blocks.some(aside);
  const shared = { blocks, drawn, of: better?.asked.fit ?? fit };
  const shown = (block: Block) =>
    !aside(block) && !(isText(block) && block.text === '') && !(plain && has(block, 'figures'));
  return (
    <section
      class={`finding-part ${id} ${stale || (answer && !current) ? 'stale' : ''}`}
      aria-labelledby={`part-${id}`}
      aria-busy={waiting}
    >
      <h2 id={`part-${id}`}>{title}</h2>
      {waiting && <p class="muted">…</p>}
      {brief && <h3>{brief.short}</h3>}
      {!last && tells}
      {trouble &&
        // what lets these two go on is a button below the sentence of the finding
        (trouble.is === 'cancelled' && id !== 'advice' ? (
          <p class="muted">{trouble.label}: canceled.</p>
        ) : (
          <TroubleView trouble={trouble} settled={part !== undefined} />
        ))}
      {part && fit && (
        <Named.Provider value={title}>
          <Blocks name={`finding-${id}`} {...shared} which={shown} />
        </Named.Provider>
      )}
      {last && tells}
      {later.map((text) => (
        <p key={text}>
          <Unbroken>{text}</Unbroken>
        </p>
      ))}
      {children}
      {folds && fit && (
        <details class="aside">
          <summary>Details and methods</summary>
          <Blocks name={`finding-${id}-numbers`} {...shared} which={aside} />
        </details>
      )}
    </section>
  );
}

/**
 * The listed subgroups with and without the recommended method, as far as a part has room for it: who, how many, and
 * both errors. The table of the details has all columns.
 */
function Effects({ caption, columns, rows }: wasm_bindgen.SheetTable) {
  const last = columns.length - 1;
  const kept = <T,>(line: T[]) => [0, 1, last - 1, last].map((place) => line[place]);
  return (
    <div class="effects">
      <Table caption={`${caption}: errors`} columns={kept(columns)} rows={rows.map(kept)} />
    </div>
  );
}

const has = (block: Block, name: string) => typeof block === 'object' && name in block;
const isText = (block: Block): block is { text: string } => has(block, 'text');
const isTable = (block: Block): block is Extract<Block, { table: unknown }> => has(block, 'table');
const aside = (block: Block) => has(block, 'table') || has(block, 'note');
const partOf = (answer: FindingAnswer | null, id: Name) => answer?.parts.find((part) => part.id === id);

/** Puts the figure of a part in the place of another; null: it has none. */
function drawingOf(answer: FindingAnswer | null | undefined, id: Name) {
  const figures = partOf(answer ?? null, id)?.blocks.find((block) => has(block, 'figures'));
  return figures ? (block: Block) => (has(block, 'figures') ? figures : block) : null;
}

/** Whether a part has something drawn. */
export const isDrawn = (answer: FindingAnswer | null, id: Name) => drawingOf(answer, id) !== null;
