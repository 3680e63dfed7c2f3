// Sections of the list of questions.

type PageStep = wasm_bindgen.PageStep;

export type Section = PageStep | 'study';

export const SECTIONS: { step: Section; title: string }[] = [
  { step: 'overview', title: 'Overall' },
  { step: 'who', title: 'Subgroups' },
  { step: 'where', title: 'Local error' },
  { step: 'repair', title: 'Recalibration' },
  { step: 'decide', title: 'Decisions' },
  { step: 'study', title: 'Experiments' },
  { step: 'report', title: 'Report' },
];
