// A part of the finding: its sentence, and what the core shows for it.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Asked } from '../parts/analysis.js';
import type { Column } from '../engine/pool.js';
import { Blocks } from '../parts/block.js';
import { TroubleView } from '../parts/panel.js';

/** What `data.analyse("finding")` answers on the page. */
export type Found = wasm_bindgen.FindingOutcome & { columns: Column[] };

interface Props {
  id: wasm_bindgen.PartName;
  title: string;
  asked: Asked<Found>;
  /** stands below what the core shows */
  children?: ComponentChildren;
}
export function Part({ id, title, asked, children }: Props) {
  const place = useRef<HTMLElement>(null);
  const { answer, fit, trouble, stale, current } = asked;
  const part = partOf(answer, id);
  const waiting = !part && !trouble;
  return (
    <section
      class={`finding-part ${id} ${stale || (answer && !current) ? 'stale' : ''}`}
      aria-labelledby={`part-${id}`}
      aria-busy={waiting}
      ref={place}
    >
      <p class="kicker">{title}</p>
      <h2 id={`part-${id}`}>{part?.heading ?? (waiting ? '…' : '')}</h2>
      {trouble && <TroubleView trouble={trouble} settled={part !== undefined} />}
      {part && fit && (
        <Blocks
          name={`finding-${id}`}
          blocks={part.blocks}
          of={fit}
          drawn={async (width) => {
            const again = await fit(width);
            return { blocks: partOf(again, id)?.blocks ?? [], columns: again.columns };
          }}
        />
      )}
      {children}
    </section>
  );
}

const partOf = (answer: Found | null, id: wasm_bindgen.PartName) => answer?.parts.find((part) => part.id === id);
