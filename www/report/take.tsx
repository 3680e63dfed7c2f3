// Files about rows, from wherever they are saved: with identifiers or without, as the report says, and what they tell.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Data, NotedFile } from '../engine/localcal.js';
import { announce } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { Worded } from '../parts/worded.js';
import { save } from '../parts/words.js';
import { least, leastCount, withheld } from '../state/suppression.js';
import { open } from '../state/store.js';
import { printable, written } from './previewed.js';
import { reportOptions, settings } from './sections.js';

/** `identifiers: false` where files are to have no names of rows. */
export const names = (): { identifiers?: false } => (settings().identifiers === false ? { identifiers: false } : {});

/** What is to be known of the file that was saved last, and the data set that it is of. */
const noted = signal<{ data: Data; notes: string[] } | null>(null);

/** What is to be known of the file that was saved last, if it is of the data set that is open. */
export const notes = (): string[] => (noted.value?.data === open.value?.data ? (noted.value?.notes ?? []) : []);

/** Saves a file of rows, and says what is to be known of it. */
function saveNoted(file: NotedFile, data: Data, name: string) {
  noted.value = { data, notes: file.notes ?? [] };
  save(file, name);
}

/** Writes a file of the data set that is open. */
export async function take(name: string, kind: string, options: Record<string, unknown> = {}) {
  const data = open.peek()?.data;
  if (!data) return;
  const blob = await withLine(`Writing ${name}`, ({ signal }) => data.export(kind, { ...options, signal }));
  saveNoted(blob, data, name);
}

/** Saves the document: the one on screen where that is what is asked for, else it is written. */
export async function takeHtml() {
  const data = open.peek()?.data;
  const html = printable.peek() && written.peek()?.html;
  if (!data || !html) return take('report.html', 'report', { ...reportOptions(), format: 'html' });
  saveNoted(new Blob([html], { type: 'text/html' }), data, 'report.html');
  announce('report.html saved');
}

/** Saves the recalibrations of the last run, to be applied to other files. */
export const takeCalibrators = () => take('calibrator.json', 'calibrator', leastCount());

/** Refuses files with a line for each row while small counts are suppressed: every line is one row. */
export function refuseRows() {
  const suppress = least();
  if (suppress) throw withheld('a file with one line for each row', suppress);
}

/** Saves the predictions of what is open, through a stored calibrator. */
export async function takeApplied(calibrator: File) {
  refuseRows();
  await take('applied.csv', 'applied', { ...names(), calibrator: await calibrator.text() });
}

/** Saves the predictions of what is open, through the recalibrations of the last run. */
export async function takePredictions() {
  refuseRows();
  const data = open.peek()?.data;
  if (!data) return;
  const write = ({ signal }: { signal: AbortSignal }) => data.export('predictions', { ...names(), signal });
  saveNoted(await withLine('Writing predictions.csv', write), data, 'predictions.csv');
}

/** What a file says about single rows, told where it can be saved. */
export function AboutFile({ kind }: { kind: 'predictions' | 'region_rows' }) {
  const [told, setTold] = useState('');
  const data = open.value?.data;
  useEffect(() => {
    let wanted = true;
    const tell = (sentence: string) => wanted && setTold(sentence);
    data?.about(kind).then(
      ({ sentence }) => tell(sentence),
      () => tell(''), // closed meanwhile
    );
    return () => {
      wanted = false;
    };
  }, [data, kind]);
  const suppress = least();
  if (suppress) {
    const what = kind === 'region_rows' ? 'The rows' : 'Predictions';
    return (
      <>
        {what} are not saved while counts below {suppress} are suppressed: the file has one line for each row.
      </>
    );
  }
  if (names().identifiers === false)
    return kind === 'region_rows' ? (
      <>One line for each row, by row number. Identifiers are excluded under Report.</>
    ) : (
      <>One line for each row. Identifiers are excluded under Report.</>
    );
  return told ? <Worded>{told}</Worded> : null;
}
