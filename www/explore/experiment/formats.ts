// How an experiment is written.

export const FORMATS: [title: string, format: string, ending: string][] = [
  ['Markdown', 'markdown', 'md'],
  ['LaTeX', 'latex', 'tex'],
  ['CSV', 'csv', 'csv'],
  ['JSON', 'json', 'json'],
];
