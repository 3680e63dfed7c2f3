// What the document is asked for. Its title and remarks are a person's own words: they are in no link.

import { catalogue, descriptionOf } from '../parts/catalogue.js';
import { experimentDone } from '../explore/experiment/running.js';
import { GROUPS, eachColumn } from '../explore/groups.js';
import { lacking, similarityColumns, reportable, requestOf } from '../parts/panel.js';
import { EXPERIMENT } from '../state/experiment.js';
import { inReport, panels, putBack, report, subject } from '../state/store.js';

/** The parts of a document in their usual order, with the headings that it gives them. */
export const parts = () => catalogue.value?.report_parts ?? [];

interface ReportSettings {
  /** parts in their order */
  sections?: string[];
  /** the smallest count */
  suppress?: number;
  identifiers?: boolean;
  title?: string;
  /** by part */
  remarks?: Record<string, string>;
}
export const settings = (): ReportSettings => panels.value.report ?? {};

/** Takes what is typed, letter by letter: a step of undo is what is there when the field is left. */
export const type = (words: Pick<ReportSettings, 'title' | 'remarks'>) =>
  putBack('report', { ...settings(), ...words });

/** The parts that are wanted, in their order. */
export const sections = (): string[] => settings().sections ?? parts().map(({ id }) => id);

/** The day, as a person writes it. */
const today = () => new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** What was added from Explore with a sheet of the core. */
const described = () =>
  inReport.value.flatMap((kind) => descriptionOf(kind) ?? []).filter(({ kind }) => reportable(kind));
/** Whether something of it is about recalibrations, which the run makes first. */
export const aboutRecalibration = (): boolean => described().some(({ step }) => step === 'repair');

/** Why something that was added is left out of the document, which is written without it; nothing: it is there. */
function withoutWhy(description: wasm_bindgen.Description): string | undefined {
  const lack = lacking(description);
  if (lack) return lack;
  const recalibrations = (report.value?.methods.length ?? 0) - 1;
  return description.needs.includes('methods') && recalibrations < 1
    ? 'It compares recalibration methods, and none is selected.'
    : undefined;
}

/** What was added, each asked as on screen; what these rows cannot answer stays out. */
const added = () =>
  described()
    .filter((one) => !withoutWhy(one))
    .flatMap((description) => {
      const { kind } = description;
      const each = kind === GROUPS && !panels.value[kind]?.columns ? eachColumn() : [{}];
      return each.map((of) => ({ [kind]: requestOf(description, of) }));
    });

/** What was added and is left out, each with the reason in a sentence. */
export function leftOutOf(): string[] {
  const without = described().flatMap((one) => {
    const why = withoutWhy(one);
    return why ? [`“${one.title}” is not included. ${why}`] : [];
  });
  // an experiment was not run here, or on several files
  if (inReport.value.includes(EXPERIMENT) && experimentDone() === null)
    without.push('The experiment is not included. Run it in Explore on this file alone.');
  return without;
}

/** Options of `data.export("report")`. */
export function reportOptions(): Record<string, unknown> {
  const { suppress, identifiers, title = '', remarks = {} } = settings();
  const extra = added();
  const experiment = inReport.value.includes(EXPERIMENT) ? experimentDone() : null;
  const written = Object.fromEntries(Object.entries(remarks).filter(([, text]) => text.trim() !== ''));
  const { groups } = subject.value;
  const features = similarityColumns();
  return {
    // the steps of the finding that is on screen are not done again
    finding: { ...(groups && { groups }), ...(features && { features }) },
    date: today(),
    sections: sections(),
    ...(title.trim() && { title: title.trim() }),
    ...(Object.keys(written).length > 0 && { remarks: written }),
    ...(extra.length > 0 && { extra }),
    ...(experiment && { experiment }),
    ...(suppress && { suppress }),
    ...(identifiers === false && { identifiers }),
  };
}
