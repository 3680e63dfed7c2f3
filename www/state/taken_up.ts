// What of the choices holds for what was opened: of a session's those that its columns know, of another file's none but
// those of the report.

import type { Data, OpenOptions, Summary } from '../engine/localcal.js';
import { offerOf } from '../engine/localcal.js';
import type { Alike } from './alike.js';
import { LOGITS, hasDerivedLogits } from './alike.js';
import type { Chosen, Panels, Subject } from './store.js';

/** A session as far as the page reads it; the core has said that it is one. */
interface Session {
  open?: OpenOptions;
  page?: Partial<Chosen> | null;
}
export const sessionOf = ({ session }: OpenOptions) => session as Session | null | undefined;

/** What the core knows rows by without a column of the file. */
const PREDICTED = 'predicted class';

const namesOf = ({ columns }: Summary) => columns.map(({ name }) => name);

/** Columns that are there; null, what the core suggests, where one is not. */
const kept = (names: string[] | null | undefined, summary: Summary) =>
  names?.every((name) => namesOf(summary).includes(name)) ? names : null;

/** Who is alike, as far as the columns of its coordinates are there: else what hangs on their scale goes, too. */
function keptAlike(alike: Alike | undefined, data: Data): Alike {
  const { place, kernel: _, gamma: __, ...others } = alike ?? {};
  // no column holds logits that the core finds in probabilities
  const columns = place?.of.filter((name) => name !== LOGITS || !hasDerivedLogits(data));
  return !place || kept(columns, data.summary) ? (alike ?? {}) : others;
}

/** The same, with neighbours from all rows where these data have nothing like what they had to share. */
function neighboursOf({ within, ...others }: Alike, data: Data): Alike {
  const known = within === 'all' || offerOf(data)?.within.includes(within ?? '');
  return known ? { ...others, within } : others;
}
function ofPanel([kind, settings]: [string, Panels[string]], data: Data): [string, Panels[string]][] {
  const { alike, ...others } = settings ?? {};
  if (!alike) return [[kind, settings]];
  const own = neighboursOf(alike as Alike, data);
  if (Object.keys(own).length > 0) return [[kind, { ...others, alike: own }]];
  return Object.keys(others).length > 0 ? [[kind, others]] : [];
}

/** Whether a text among these stands anywhere in a value. */
function mentions(value: unknown, gone: Set<string>): boolean {
  if (typeof value === 'string') return gone.has(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, one]) => gone.has(name) || mentions(one, gone));
}
const without = <T>(values: Record<string, T>, gone: Set<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name, one]) => !gone.has(name) && !mentions(one, gone)));

/** The same, without a repair and without neighbours that cannot be asked of these data. */
export function askable(chosen: Chosen, data: Data): Chosen {
  const { specified } = chosen;
  const { repair, alike } = chosen.subject;
  const subject = { ...chosen.subject, alike: neighboursOf(alike, data) };
  const panels = Object.fromEntries(Object.entries(chosen.panels).flatMap((one) => ofPanel(one, data)));
  const offered = new Set(offerOf(data)?.methods.map(({ id }) => id));
  const known = !repair || repair === 'none' || repair in specified || repair.split('+').every((id) => offered.has(id));
  return { ...chosen, subject: known ? subject : { ...subject, repair: null }, panels };
}

/** What stays chosen where another file, with other columns, is opened. */
export function ofOtherColumns({ subject, panels, ...others }: Chosen, data: Data): Chosen {
  const { groups, alike, repair } = subject;
  // a bandwidth that was chosen for the coordinates of another file is none of these
  const { gamma: _, ...general } = alike;
  return {
    ...others,
    subject: { groups: kept(groups, data.summary), alike: keptAlike(alike.place ? alike : general, data), repair },
    // what leaves the page is left out as before
    panels: panels.report ? { report: panels.report } : {},
  };
}

/** What was chosen when a session was saved, as far as this file has its columns; null: it does not say. */
export function savedIn({ open: then, page }: Session, data: Data): Chosen | null {
  if (!page) return null;
  const { summary } = data;
  const now = namesOf(summary);
  const gone = new Set(Object.keys(then?.roles ?? {}).filter((name) => !now.includes(name)));
  const { groups, alike, repair = null } = page.subject ?? ({} as Partial<Subject>);
  const panels: Panels = Object.fromEntries(
    Object.entries(page.panels ?? {}).map(([kind, settings]) => [kind, without(settings, gone)]),
  );
  return {
    subject: { groups: kept(groups, summary), alike: keptAlike(alike, data), repair },
    specified: without(page.specified ?? {}, gone),
    panels,
    inReport: page.inReport ?? [],
  };
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

/** Options as the core takes them: what is said here, be it that nothing shall be, outweighs the session. */
export function outweighing(options: OpenOptions): OpenOptions {
  const session = sessionOf(options);
  if (!session?.open) return options;
  const open: Record<string, unknown> = { ...session.open };
  if (options.rows === 'error') delete open.rows;
  return { ...options, session: { ...session, open } as OpenOptions['session'] };
}
