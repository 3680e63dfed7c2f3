// What a person copies. Browsers have a clipboard on secure pages alone, and may refuse it there.

import { codedError } from '../engine/fault.js';

const refused = () =>
  codedError({
    code: 'unsupported_browser',
    message: 'The browser did not allow copying.',
    hint: 'Copying needs permission, and a page opened from disk or over https.',
  });

export const textOf = (blob: Blob) => blob.text();

/** Tables in HTML as text that a spreadsheet takes: each caption a line, each row a line of cells separated by tabs. */
export function tabbed(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const textIn = ({ textContent }: Element) => (textContent ?? '').trim().replace(/\s+/g, ' ');
  const lines = [...body.querySelectorAll('p, tr')].map((line) =>
    line instanceof HTMLTableRowElement ? [...line.cells].map(textIn).join('\t') : `\n${textIn(line)}`,
  );
  return `${lines.join('\n').trim()}\n`;
}

export const asPlain = (text: string) => new Blob([text], { type: 'text/plain' });

/** Copies text; throws as `copyForms`. */
export const copyText = (text: string | Promise<string>) =>
  copyForms({ 'text/plain': Promise.resolve(text).then(asPlain) });

/**
 * Copies one thing in several forms, by their types, plain text among them. Called within a click, also where the forms come
 * later: there alone some browsers let a page copy.
 *
 * Throws what a form fails with, and `unsupported_browser` where the browser does not allow it.
 */
export async function copyForms(forms: Record<string, Promise<Blob>>) {
  const written = write(forms).catch(() => refused());
  await Promise.all(Object.values(forms));
  const fault = await written;
  if (fault) throw fault;
}

/** Firefox before 127 copies text alone. */
const write = async (forms: Record<string, Promise<Blob>>) =>
  'ClipboardItem' in globalThis
    ? navigator.clipboard.write([new ClipboardItem(forms)])
    : navigator.clipboard.writeText(await (await forms['text/plain']).text());
