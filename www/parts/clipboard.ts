// What a person copies. Browsers have a clipboard on secure pages alone, and may refuse it there.

import { codedError } from '../engine/fault.js';

const refused = () =>
  codedError({
    code: 'unsupported_browser',
    message: 'The browser did not allow copying.',
    hint: 'Copying needs permission, and a page opened from disk or over https.',
  });

/** Copies text. Throws `unsupported_browser` where the browser does not allow it. */
export const copyText = (text: string) => copied(() => navigator.clipboard.writeText(text));

/** Copies one thing in several forms, by their types; throws as `copyText`. */
export const copyForms = (forms: Record<string, Blob>) =>
  copied(() => navigator.clipboard.write([new ClipboardItem(forms)]));

async function copied(copy: () => Promise<void>) {
  try {
    await copy();
  } catch {
    throw refused();
  }
}
