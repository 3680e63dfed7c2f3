// What an experiment found: drawn in the width that there is, and saved.

import { useMemo } from 'preact/hooks';
import type { Experiment, ExperimentFormat } from '../../engine/experiment.js';
import type { Data } from '../../engine/localcal.js';
import type { Blocked } from '../../parts/block.js';
import { Blocks } from '../../parts/block.js';
import { showError } from '../../parts/message.js';
import { Reading } from '../../parts/worded.js';
import { save } from '../../parts/words.js';
import { leastCount } from '../../state/suppression.js';
import { concluded } from './running.js';

/** Widths that differ by no more CSS pixels are the same. */
const SLACK = 4;

/** The same in any width. `of`: the data set that it is about; `width`: in which it was found. */
function useFitted(found: Experiment, of: Data, width: number): { fit: (room: number) => Promise<Blocked> } {
  return useMemo(() => {
    let last = { width, answer: Promise.resolve(found) };
    const { spec, cells } = found;
    const fit = async (room: number) => {
      if (room > 0 && Math.abs(room - last.width) > SLACK)
        last = { width: room, answer: concluded(of, { spec, cells }, room).catch(() => found) };
      const { sheet, columns } = await last.answer;
      return { blocks: sheet.blocks, columns };
    };
    return { fit };
  }, [found]);
}

const FORMATS: [title: string, format: ExperimentFormat, ending: string][] = [
  ['Markdown', 'markdown', '.md'],
  ['LaTeX', 'latex', '.tex'],
  ['CSV', 'csv', '.csv'],
  ['All results (CSV)', 'cells_csv', '-numbers.csv'],
  ['JSON (resumable)', 'json', '.json'],
];

/** What was found first, then ways to keep it, then what it is based on. `of`: the data set that it is about. */
export function ExperimentResults({
  name,
  found,
  of,
  width,
}: {
  name: string;
  found: Experiment;
  of: Data;
  width: number;
}) {
  const { fit } = useFitted(found, of, width);
  const { blocks } = found.sheet;
  const [first] = blocks;
  const reading = typeof first === 'object' && 'reading' in first ? first.reading : null;
  return (
    <>
      {reading && <Reading>{reading}</Reading>}
      <SaveAs name={name} found={found} />
      <Blocks name={name} blocks={blocks} from={reading ? 1 : 0} of={found} drawn={fit} />
    </>
  );
}

const SaveAs = ({ name, found }: { name: string; found: Experiment }) => (
  <p class="row tools">
    <span class="muted">Save as</span>
    {FORMATS.map(([title, format, ending]) => (
      <button
        key={format}
        type="button"
        class="quiet"
        data-format={format}
        onClick={() => found.export(format, leastCount()).then((blob) => save(blob, `${name}${ending}`), showError)}
      >
        {title}
      </button>
    ))}
  </p>
);
