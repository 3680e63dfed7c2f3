// Sections of the list of questions.

export type PageStep = wasm_bindgen.PageStep;

export const SECTIONS: { step: PageStep; title: string }[] = [
  { step: 'overview', title: 'Overall' },
  { step: 'who', title: 'For whom' },
  { step: 'where', title: 'Where' },
  { step: 'repair', title: 'What to do' },
  { step: 'decide', title: 'Decide' },
  { step: 'report', title: 'Report' },
];
