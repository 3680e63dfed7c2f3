// What the document is asked for. Its title and remarks are a person's own words: they stand in no link.

import { signal } from '@preact/signals';
import { descriptionOf } from '../parts/catalogue.js';
import { experimentDone } from '../explore/experiment/running.js';
import { GROUPS, eachColumn } from '../explore/groups.js';
import { lacking, numbersAlike, reportable, requestOf } from '../parts/panel.js';
import { EXPERIMENT } from '../state/experiment.js';
import { inReport, panels, subject } from '../state/store.js';

/** The parts of a document in their usual order, and what a person calls them. */
export const SECTIONS: [string, string][] = [
  ['summary', 'Summary'],
  ['overall', 'Calibration overall'],
  ['groups', 'For whom, before and after repair'],
  ['map', 'Where'],
  ['decisions', 'Decisions'],
  ['panels', 'What was added from Explore'],
  ['data', 'Data'],
  ['methods', 'Methods'],
  ['limits', 'Limits'],
  ['checklist', 'TRIPOD+AI items'],
  ['references', 'References'],
  ['provenance', 'Provenance'],
  ['signature', 'Lines to sign on'],
];

export const title = signal('');
export const remarks = signal<Record<string, string>>({});

/** Settings of the report: parts in their order, the smallest count, identifiers. */
export const settings = () =>
  (panels.value.report ?? {}) as { sections?: string[]; suppress?: number; identifiers?: boolean };

/** The parts that are wanted, in their order. */
export const sections = (): string[] => settings().sections ?? SECTIONS.map(([id]) => id);

/** The day, as a person writes it. */
const today = () => new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** What was added from Explore, each asked as on screen; what these rows cannot answer stays out. */
const added = () =>
  inReport.value.flatMap((kind) => {
    const description = descriptionOf(kind);
    if (!description || !reportable(kind) || lacking(description)) return [];
    const each = kind === GROUPS && !panels.value[kind]?.columns ? eachColumn() : [{}];
    return each.map((of) => ({ [kind]: requestOf(description, of) }));
  });

/** Whether an experiment was added of which nothing is there: it was not run here, or on several files. */
export const withoutExperiment = (): boolean => inReport.value.includes(EXPERIMENT) && experimentDone() === null;

/** Options of `data.export("report")`. */
export function asked(): Record<string, unknown> {
  const { suppress, identifiers } = settings();
  const extra = added();
  const experiment = inReport.value.includes(EXPERIMENT) ? experimentDone() : null;
  const written = Object.fromEntries(Object.entries(remarks.value).filter(([, text]) => text.trim() !== ''));
  const { groups } = subject.value;
  const features = numbersAlike();
  return {
    // the steps of the finding that is on screen are not done again
    finding: { ...(groups && { groups }), ...(features && { features }) },
    date: today(),
    sections: sections(),
    ...(title.value.trim() && { title: title.value.trim() }),
    ...(Object.keys(written).length > 0 && { remarks: written }),
    ...(extra.length > 0 && { extra }),
    ...(experiment && { experiment }),
    ...(suppress && { suppress }),
    ...(identifiers === false && { identifiers }),
  };
}
