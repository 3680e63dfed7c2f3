// Features that join an open data set later: the files are opened again together. What does not fit is reported, and
// the data do not change.

import { open as openData } from '../engine/localcal.js';
import { withLine } from '../parts/progress.js';
import { fullName } from './opening.js';
import { openFiles, requested, sameFiles } from './store.js';

type Role = wasm_bindgen.Role;
type Summary = wasm_bindgen.Summary;
/** What numbers of a file of features may be taken for, alone or beside the others. */
const TAKEN: Role[] = [
  'feature',
  'features',
  'probability',
  'probabilities',
  'logit',
  'logits',
  'confidence',
  'ignore',
  'weight',
];

/** What the columns of a file were taken for, be it that it holds no predictions. */
async function summaryOf(file: File): Promise<Summary> {
  try {
    const data = await withLine(`Reading ${file.name}`, (watching) => openData([file], { ...watching, beside: true }));
    data.close();
    return data.summary;
  } catch (error) {
    const { summary } = error as { summary?: Summary };
    if (!summary) throw error;
    return summary;
  }
}

/** Roles by which the numbers of files describe rows, whatever they look like. */
function rolesIn({ columns }: Summary, files: File[]): [string, Role][] {
  const numbers = columns.filter(({ role, text }) => TAKEN.includes(role) && !text);
  return numbers.map((column) => [fullName(column, files), column.shape.length > 1 ? 'features' : 'feature']);
}

/** Files are joined one after the other: each joins those before it. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Opens what is open together with files of features of the same rows, read as asked for when they are joined. Where
 * other files are opened meanwhile, nothing is joined.
 *
 * Fails with what the core says of one that cannot be read, or does not fit.
 */
export function addFeatures(files: File[]): Promise<void> {
  const [first] = requested().files;
  const mine = queue.then(() => (requested().files[0] === first ? join(files) : undefined));
  queue = mine.catch(() => {});
  return mine;
}

async function join(files: File[]) {
  const { files: before } = requested();
  if (before.length === 0 || files.length === 0) return;
  const all = [...before, ...files];
  const roles: [string, Role][] = [];
  for (const file of files) roles.push(...rolesIn(await summaryOf(file), all));
  const options = () => {
    const now = requested().options;
    return { ...now, roles: { ...now.roles, ...Object.fromEntries(roles) } };
  };
  // what does not fit is refused before anything is left
  const trial = await withLine('Joining files', (watching) =>
    openData(all, { ...options(), ...watching, beside: true }),
  );
  trial.close();
  if (sameFiles(before, requested().files)) openFiles(all, options());
}
