// Sections of the list of questions.

export type PageStep = wasm_bindgen.PageStep;

export type Section = PageStep | 'study';

export const SECTIONS: { step: Section; title: string }[] = [
  { step: 'overview', title: 'Overall' },
  { step: 'who', title: 'For whom' },
  { step: 'where', title: 'Where' },
  { step: 'repair', title: 'What to do' },
  { step: 'decide', title: 'Decide' },
  { step: 'study', title: 'Study' },
  { step: 'report', title: 'Report' },
];
