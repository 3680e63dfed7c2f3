// Exports of a data set: charts, reports, and the files that the core writes.

import { chartBlob, printWidth } from './chart.js';
import { codedError } from './fault.js';
import { refuseNotFinite } from './finite.js';
import { outcomeOf } from './outcome.js';
import type { Answer, Drawn, Outcome, Showing } from './outcome.js';
import type { Runs, Watch, Withholding } from './runs.js';

/** Kinds of export, and their media types. */
const EXPORTS: Record<string, string> = {
  predictions: 'text/csv',
  calibrator: 'application/json',
  report: 'application/json',
  session: 'application/json',
  coordinates: 'text/csv',
  table: 'text/plain',
  applied: 'text/csv',
  snippet: 'text/plain',
};
/** Formats of a report besides JSON, and their media types. */
const WRITTEN: Record<string, string> = {
  html: 'text/html',
  latex: 'application/x-latex',
  markdown: 'text/markdown',
  tables: 'text/html',
};

/** Options that are handled here; the others are passed to the core. */
export interface ExportOptions extends Record<string, unknown> {
  signal?: AbortSignal;
  format?: string;
  theme?: string;
  width?: number;
  width_mm?: number;
  identifiers?: boolean;
}

/** A figure of `data.analyse(analysis, options)`; `figure`: its index among those of the answer, from 0. */
type FigureRequest = { analysis: string; figure?: number; options?: Record<string, unknown> };

/** What exports depend on. */
export interface ExportContext {
  runs: Pick<Runs, 'fromReport' | 'fromData'>;
  analyse: (
    kind: string,
    options?: Record<string, unknown>,
    watch?: Watch & Withholding,
  ) => Promise<Outcome & Pick<Answer, 'columns'>>;
  free: (key: number) => void;
  /** the files that were opened */
  sources: File[];
  /** what can be requested */
  catalogue: () => Promise<wasm_bindgen.Catalogue>;
}

/** A file of a data set, by its name in `data.export`. */
export async function exported(context: ExportContext, kind: string, given: ExportOptions = {}): Promise<Blob> {
  const { signal, ...options } = given;
  refuseNotFinite(options); // some of them, such as the width for print, are used here
  if (kind === 'chart') return chartOf(context, options, signal);
  if (kind === 'report' && (options.format ?? 'json') !== 'json') return writtenReport(context, options, signal);
  if (!Object.hasOwn(EXPORTS, kind))
    throw codedError({
      code: 'invalid_option',
      message: `Unknown export “${kind}”.`,
      hint: `Available: ${Object.keys(EXPORTS).join(', ')}, chart.`,
    });
  if (typeof options.calibrator === 'string') options.calibrator = parsed(options.calibrator);
  const job = { kind: `export_${kind}`, ...options } as wasm_bindgen.CallMessage;
  // a stored calibrator needs no run, and a file without labels has none
  const { fromData, fromReport } = context.runs;
  const answer = await (kind === 'applied' ? fromData(job, signal) : fromReport(job, [], signal));
  context.free(answer.key);
  return notedFile(answer, EXPORTS[kind]);
}

/** A chart of the last run, or a figure of an analysis. */
async function chartOf(context: ExportContext, options: ExportOptions, signal?: AbortSignal): Promise<Blob> {
  const { format = 'svg', theme = 'screen', width_mm = 85, ...request } = options;
  // a figure for print is drawn at the width that its text requires, as SVG or PDF
  const printed = theme === 'print';
  if (printed && format === 'png')
    throw codedError({
      code: 'invalid_option',
      message: 'format: figures for print are SVG or PDF, not PNG.',
      hint: 'Use format: "svg" or "pdf", or omit theme.',
    });
  if (request.analysis !== undefined) {
    const width = printed ? await printWidth(width_mm) : request.width;
    const answer = await figureOf(context, request as FigureRequest, width, signal);
    return chartBlob(answer, format, printed ? width_mm : undefined);
  }
  if (printed) request.width = await printWidth(width_mm);
  const job = { kind: 'view', request: request as unknown as wasm_bindgen.ChartMessage } as const;
  const view = await context.runs.fromReport(job, [], signal);
  return chartBlob(
    { outcome: outcomeOf('view', view), columns: view.columns },
    format,
    printed ? width_mm : undefined,
  ).finally(() => context.free(view.key));
}

/** A figure of an analysis, in the order of its panel. */
async function figureOf(
  { analyse, catalogue }: ExportContext,
  { analysis, figure = 0, options, suppress }: FigureRequest & Withholding,
  width?: number,
  signal?: AbortSignal,
): Promise<Drawn> {
  const known = (await catalogue()).analyses.find(({ kind }) => kind === analysis);
  const fits = width !== undefined && known?.options.some(({ name }) => name === 'width');
  const {
    columns,
    sheet,
    figures: own = [],
  }: Showing & Pick<Answer, 'columns'> = await analyse(
    analysis,
    { ...options, ...(fits && { width }) },
    { signal, suppress },
  );
  const ofSheet = (sheet?.blocks ?? []).flatMap((block) => ('figures' in block ? block.figures : []));
  const figures = [...ofSheet, ...own];
  const number = figures.length === 1 ? '1 figure' : `${figures.length} figures`;
  if (!figures[figure])
    throw codedError({
      code: 'invalid_option',
      message: `“${analysis}” has ${number}; figure ${figure} does not exist.`,
      hint: figures.length ? `Use 0 to ${figures.length - 1}.` : 'Its results are numbers and tables.',
    });
  if (!figures[figure].panels.length && suppress) throw withheldFigure(figures[figure]);
  return { outcome: { figure: figures[figure] }, columns };
}

/** The report as a document; without identifiers it contains no file names. */
async function writtenReport(
  { analyse, sources }: ExportContext,
  { identifiers = true, format, ...options }: ExportOptions,
  signal?: AbortSignal,
) {
  const files = await Promise.all(sources.map((source) => fileRecord(source, identifiers)));
  const answer = await analyse('document', { files, format, ...options }, { signal });
  const { bytes } = outcomeOf('bytes', { outcome: answer });
  return new Blob([answer.columns[bytes] as Uint8Array<ArrayBuffer>], {
    type: WRITTEN[format ?? ''] ?? 'text/plain',
  });
}

/** Error for a figure that is withheld. */
const withheldFigure = ({ title }: wasm_bindgen.Figure) =>
  codedError({
    code: 'too_few_rows',
    message: title,
    hint: 'Request it without suppressing counts, or request another figure.',
  });

/** An exported file, with notes for the user if there are any. */
export type NotedFile = Blob & { notes?: string[] };

/** The bytes of an answer as a file with its notes. */
export function notedFile(answer: Answer, type: string): NotedFile {
  const file: NotedFile = new Blob([answer.columns[0] as Uint8Array<ArrayBuffer>], { type });
  file.notes = outcomeOf('bytes', answer).notes;
  return file;
}

/** A file as recorded in a report. */
async function fileRecord(file: File, named: boolean) {
  return { name: named ? file.name : '', bytes: file.size, sha256: await checksumOf(file) };
}

/** Checksums of files, each of which is read once. */
const checksums = new WeakMap<File, Promise<string | undefined>>();
/** SHA-256 of a file; undefined: the context is not secure, or the file was changed or moved since it was opened. */
function checksumOf(file: File): Promise<string | undefined> {
  const digested = async () => {
    const digest = await crypto.subtle?.digest('SHA-256', await file.arrayBuffer());
    return digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
  const known = checksums.get(file) ?? digested().catch(() => undefined);
  checksums.set(file, known);
  return known;
}

/** The text of a stored calibrator or session as an object. */
export function parsed(text: string, what: 'calibrator' | 'session' = 'calibrator'): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    if (what === 'session')
      throw codedError({
        code: 'invalid_option',
        message: `The session cannot be read: it is not valid JSON (${message}).`,
        hint: 'Pass the JSON written by the export `session` unchanged.',
      });
    throw codedError({
      code: 'calibrator_unreadable',
      message: `The calibrator cannot be read: it is not valid JSON (${message}).`,
      hint: 'Choose a calibrator.json exported by LoCal.',
    });
  }
}
