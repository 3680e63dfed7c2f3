// The first screen, which is there before any script: its drop area is a button, the whole page takes drops and pasted
// text, and its examples open with a click.

import { openExample, openGiven } from '../state/opening.js';

const picker = () => document.querySelector<HTMLInputElement>('#picker');

/** Lets a person choose files. */
export const pickFiles = () => picker()?.click();

/** Files on the clipboard, or its text as a file: of what is no table, opening it says so. */
function paste(event: ClipboardEvent) {
  if ((event.target as HTMLElement).closest('input, textarea, select') || !event.clipboardData) return;
  const files = Array.from(event.clipboardData.files);
  const text = event.clipboardData.getData('text/plain');
  if (files.length === 0 && text.trim() !== '') files.push(new File([text], 'pasted.csv'));
  if (files.length > 0) openGiven(files);
}

export function startDrop() {
  document.querySelector('#drop')?.addEventListener('click', pickFiles);
  picker()?.addEventListener('change', ({ currentTarget }) => {
    const input = currentTarget as HTMLInputElement;
    openGiven(Array.from(input.files ?? []));
    input.value = '';
  });
  let depth = 0;
  const enter = (by: number) => {
    depth = Math.max(0, depth + by);
    document.body.classList.toggle('dragging', depth > 0);
  };
  addEventListener('dragenter', () => enter(1));
  addEventListener('dragleave', () => enter(-1));
  // words may be dragged into a field; anything else that is not a file is taken by nothing
  const intoField = (event: DragEvent) =>
    !event.dataTransfer?.types.includes('Files') && (event.target as HTMLElement).closest('input, textarea') !== null;
  addEventListener('dragover', (event) => {
    if (!intoField(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    enter(-depth);
    if (intoField(event)) return;
    event.preventDefault();
    const files = Array.from(event.dataTransfer?.files ?? []);
    if (files.length > 0) openGiven(files);
  });
  addEventListener('paste', paste);
  for (const button of document.querySelectorAll<HTMLElement>('[data-sample]'))
    button.addEventListener('click', () => openExample(button.dataset.sample ?? ''));
}
