// Which choices apply to what was opened: of a session's those that its columns know, of another file's none but
// those of the report.

import type { Data, OpenOptions, Summary } from '../engine/localcal.js';
import { PREDICTED } from './chosen.js';
import { readChosen } from './choices.js';
import type { Fault } from './schema.js';
import { faultInWords } from './schema.js';
import type { Chosen } from './chosen.js';
import { NOTHING, leftOut } from './store.js';
import { worldOf } from './world.js';

/** A session as far as the page reads it; the core has said that it is one. */
interface Session {
  open?: OpenOptions;
  page?: unknown;
}
export const sessionOf = ({ session }: OpenOptions) => session as Session | null | undefined;

const namesOf = ({ columns }: Summary) => columns.map(({ name }) => name);

/** What of the choices holds for a data set; what does not goes into `faults`. */
function fitting(chosen: object, data: Data, faults: Fault[] = []): Chosen {
  const read = readChosen({ ...chosen }, { world: worldOf(data), form: 'session', part: '', faults });
  return { ...NOTHING, ...read };
}

/** The choices without what cannot be asked of these data. */
export const askable = (chosen: Chosen, data: Data): Chosen => fitting(chosen, data);

/** What was chosen, without what is about the rows of the files: fitted recalibrations, and words in the report. */
export function ofOtherFiles({ panels, ...others }: Chosen): Chosen {
  const { title: _, remarks: __, ...report } = panels.report ?? {};
  const { report: ___, ...bare } = panels;
  return { ...others, specified: {}, panels: Object.keys(report).length > 0 ? { ...bare, report } : bare };
}

/** What stays chosen where the same rows have further columns. */
export function ofMoreColumns({ subject, ...others }: Chosen): Chosen {
  const { gamma: _, ...general } = subject.alike;
  // a bandwidth that was chosen for the coordinates of other columns is none of these
  return { ...others, subject: { ...subject, alike: subject.alike.place ? subject.alike : general } };
}

/** What stays chosen where another file, with other columns, is opened: its original predictions are shown. */
export function ofOtherColumns({ panels, ...others }: Chosen, data: Data): Chosen {
  // what leaves the page is left out as before
  const now = ofMoreColumns({ ...others, panels: panels.report ? { report: panels.report } : {} });
  return fitting({ ...now, subject: { ...now.subject, repair: null } }, data);
}

/** What was chosen when a session was saved, as far as it can be taken, and says what cannot; null: it does not say. */
export function savedIn({ page }: Session, data: Data): Chosen | null {
  if (page == null) return null;
  const faults: Fault[] = [];
  if (typeof page !== 'object' || Array.isArray(page))
    faults.push({ part: 'page', why: 'must be an object of settings' });
  const chosen = fitting(Object(page), data, faults);
  leftOut.value = faults.map((one) => `In the session, ${faultInWords(one)}`);
  return chosen;
}

/**
 * Options with what the session they were opened with says besides, where the page shows and changes it: so it can be
 * taken away.
 */
export function effective(options: OpenOptions, summary: Summary): OpenOptions {
  const then = sessionOf(options)?.open;
  if (!then) return options;
  const there = ({ column }: wasm_bindgen.Condition) => column === PREDICTED || namesOf(summary).includes(column);
  const only = options.only ?? then.only?.filter(there);
  const rows = options.rows ?? then.rows;
  return { ...options, ...(only?.length && { only }), ...(rows === 'drop' && { rows }) };
}

/** How the columns are read, for a link, which holds no session: with what the session says of them, where it applies. */
export function asRead(options: OpenOptions, { columns }: Summary): OpenOptions {
  const then = sessionOf(options)?.open;
  if (!then) return options;
  const { view, positive, split, clusters, model, unanswered, renormalise } = then;
  const applies = ([name, said]: [string, string]) =>
    columns.some((column) => column.name === name && [column.role, column.reading].includes(said as never));
  const ofColumns = {
    roles: { ...Object.fromEntries(Object.entries(then.roles ?? {}).filter(applies)), ...options.roles },
    readings: { ...Object.fromEntries(Object.entries(then.readings ?? {}).filter(applies)), ...options.readings },
    missing: { ...then.missing, ...options.missing },
  };
  const there = Object.entries(ofColumns).filter(([, said]) => Object.keys(said).length > 0);
  return {
    ...{ view, positive, split, clusters, model, unanswered, renormalise },
    ...options,
    ...Object.fromEntries(there),
  };
}

/** Options as the core takes them: what is said here, be it that nothing shall be, outweighs the session. */
export function outweighing(options: OpenOptions): OpenOptions {
  const session = sessionOf(options);
  if (!session?.open) return options;
  const open: Record<string, unknown> = { ...session.open };
  if (options.rows === 'error') delete open.rows;
  return { ...options, session: { ...session, open } as OpenOptions['session'] };
}
