// A part of the finding: its sentence, and what the core shows for it.

import type { ComponentChildren } from 'preact';
import type { Column } from '../engine/pool.js';
import type { Asked } from '../parts/analysis.js';
import { Blocks } from '../parts/block.js';
import { TroubleView } from '../parts/panel.js';

type Block = wasm_bindgen.Block;
type Name = wasm_bindgen.PartName;
type FoundPart = { id: Name; heading: string; blocks: Block[] };
/** What `data.analyse("finding")` answers on the page. */
export type Found = Omit<wasm_bindgen.FindingOutcome, 'parts'> & { parts: FoundPart[]; columns: Column[] };

interface Props {
  id: Name;
  title: string;
  asked: Asked<Found>;
  /** the sentence of the whole finding, which no part says again */
  said: string | null;
  /** the heading in a few words; the part's sentence then stands beneath it */
  short?: string | null;
  /** stands below what the core shows */
  children?: ComponentChildren;
}
export function Part({ id, title, asked, said, short, children }: Props) {
  const { answer, fit, trouble, stale, current } = asked;
  const part = partOf(answer, id);
  const waiting = !part && !trouble;
  if (waiting && answer && current) return null;
  const drawn = async (width: number) => {
    const wide = await fit!(width);
    return { blocks: partOf(wide, id)?.blocks ?? [], columns: wide.columns };
  };
  const blocks = part?.blocks ?? [];
  // where a figure or the heading says it, numbers and methods are a click away
  const folds = blocks.some(aside);
  const shared = { blocks, drawn, of: fit };
  // what the sentence says, or the heading, is not said again
  const heading = part && !said?.includes(part.heading) ? part.heading : null;
  const again = (block: Block) => typeof block === 'object' && 'text' in block && block.text === part?.heading;
  const shown = (block: Block) => !aside(block) && !(heading !== null && again(block));
  return (
    <section
      class={`finding-part ${id} ${stale || (answer && !current) ? 'stale' : ''}`}
      aria-labelledby={`part-${id}`}
      aria-busy={waiting}
    >
      <h2 id={`part-${id}`}>
        <span class="kicker">{title}</span>
        {heading && (short ?? heading)}
        {waiting && <span class="muted">…</span>}
      </h2>
      {heading && short && <p>{heading}</p>}
      {trouble && <TroubleView trouble={trouble} settled={part !== undefined} />}
      {part && fit && <Blocks name={`finding-${id}`} {...shared} which={shown} />}
      {children}
      {folds && fit && (
        <details class="aside">
          <summary>Numbers, and how they were found</summary>
          <Blocks name={`finding-${id}-numbers`} {...shared} which={aside} />
        </details>
      )}
    </section>
  );
}

const has = (block: Block, name: string) => typeof block === 'object' && name in block;
const aside = (block: Block) => has(block, 'table') || has(block, 'note');
const partOf = (answer: Found | null, id: Name) => answer?.parts.find((part) => part.id === id);
