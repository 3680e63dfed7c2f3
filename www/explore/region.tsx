// A selected region: who is in it, how far off it is, and the ids of its rows.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showError } from '../parts/message.js';
import { save } from '../parts/words.js';
import { Facts, Table } from '../parts/table.js';
import type { Data } from '../engine/localcal.js';
import type { AnalysisOptions } from '../engine/outcome.js';
import { AboutFile, names, refuseRows } from '../report/take.js';
import { open, report } from '../state/store.js';
import { clearRegion, region } from './map_window.js';

/** `question`: the coordinates, rows and method that the region is asked about; null: nothing can be asked. */
export function RegionCard({ question }: { question: object | null }) {
  const { corners, rows, drawing } = region.value;
  const [found, setFound] = useState<wasm_bindgen.RegionOutcome | null>(null);
  const [stale, setStale] = useState(false);
  const data = open.value?.data;
  const there = question && (corners.length > 0 || rows);
  const request = there ? { ...question, ...(rows ? { rows } : { polygon: corners }), ...names() } : null;
  useLayoutEffect(() => {
    let wanted = true;
    if (drawing) return;
    setStale(request !== null);
    if (!request || !data) return setFound(null);
    const told = (tell: () => void) => {
      if (!wanted) return;
      setStale(false);
      tell();
    };
    data.analyse('region', request as AnalysisOptions<'region'>).then(
      (answer) => told(() => setFound(answer)),
      (error) =>
        told(() => {
          setFound(null);
          showError(error);
        }),
    );
    return () => {
      wanted = false;
    };
  }, [JSON.stringify(request), drawing, report.value]);
  const section = useRef<HTMLElement>(null);
  // what was asked for elsewhere comes on screen
  useEffect(() => {
    if (found && rows) section.current?.scrollIntoView({ block: 'nearest' });
  }, [found]);
  if (!found || !request || !data) return null;
  const { distinguished_by, words, texts } = found;
  return (
    <section class={`region ${stale ? 'stale' : ''}`} ref={section} aria-label="Selected region">
      <h3>{found.headline}</h3>
      <p>{found.reading}</p>
      <Facts facts={found.facts} />
      <Some caption="Distinguishing features" table={distinguished_by} />
      <Some caption="Distinctive words" table={words} />
      {words && words.rows.length > 0 && (
        <p class="muted plain">
          Shares of texts that contain the word, and z of its log-odds ratio with a Dirichlet prior: a description, not
          a test.
        </p>
      )}
      <Some caption="Texts, largest error first" table={texts} />
      <p class="row">
        <button type="button" class="quiet" id="region-rows" onClick={() => take(data, request).catch(showError)}>
          {texts ? 'Rows with texts (CSV)' : 'Rows of the region (CSV)'}
        </button>
        <button type="button" class="quiet" onClick={clearRegion}>
          Clear (Esc)
        </button>
        <span class="muted">
          <AboutFile kind="region_rows" />
        </span>
      </p>
    </section>
  );
}

/** A table, where there is something in it. */
const Some = ({ caption, table }: { caption: string; table?: wasm_bindgen.TextTable | null }) =>
  table && table.rows.length > 0 ? <Table caption={caption} columns={table.columns} rows={table.rows} /> : null;

async function take(data: Data, request: object) {
  refuseRows();
  const { bytes, columns } = await data.analyse('region_rows', request as AnalysisOptions<'region_rows'>);
  save(new Blob([columns[bytes] as Uint8Array<ArrayBuffer>], { type: 'text/csv' }), 'region.csv');
}
