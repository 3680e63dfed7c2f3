// The worst neighborhoods of the map, each a click away, adjusted for all comparisons.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAnalysis } from '../parts/analysis.js';
import { TroubleView } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { region } from './map_window.js';

/** Longer searches wait for a click, in milliseconds. */
const AT_ONCE = 4000;
type WorstNeighborhoods = wasm_bindgen.NeighbourhoodsOutcome & { columns: Uint32Array[] };

interface Props {
  question: Record<string, unknown>;
  /** hears what the test says of the map, or null until it has */
  tell: (reading: string | null) => void;
}
export function Worst({ question, tell }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { answer, trouble, stale, current } = useAnalysis<WorstNeighborhoods>('neighbourhoods', question, {
    place,
    most: AT_ONCE,
  });
  const reading = answer && current && !stale && !trouble ? answer.reading : null;
  useLayoutEffect(() => tell(reading), [reading]);
  const pick = (row: number) => {
    if (!answer) return;
    const { outline, rows } = answer.found[row];
    region.value = { corners: outline, rows: Array.from(answer.columns[rows]) };
  };
  return (
    <div class={`worst ${stale ? 'stale' : ''}`} ref={place}>
      {trouble && <TroubleView trouble={trouble} settled={answer !== null} />}
      {answer?.found.length === 0 && <p>No neighborhood to list.</p>}
      {answer && answer.found.length > 0 && (
        <Table
          caption="Worst neighborhoods"
          columns={HEADS}
          rows={answer.found.map(({ title, headline, verdict }) => [title, headline, verdict])}
          pick={pick}
        />
      )}
      {answer?.notes.map((note) => (
        <p key={note} class="muted plain">
          {note}
        </p>
      ))}
    </div>
  );
}
const HEADS = ['Local error', 'Rows', 'Adjusted p'].map((title) => ({
  title,
  align: 'start' as const,
}));
