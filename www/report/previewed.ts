// The document that is on screen, and what it was written of.

import { computed, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { open, report } from '../state/store.js';
import { reportOptions } from './sections.js';

/** `question`: what it was asked, as text; `html`: null where it could not be written, and `error` says why. */
interface Written {
  data: Data;
  of: object;
  question: string;
  html: string | null;
  error: unknown;
}
/** What was written last of what is open. */
const last = signal<Written | null>(null);
export const write = (written: Written) => (last.value = written);
export const written = computed(() => (last.value && last.value.data === open.value?.data ? last.value : null));

/** What the document is asked now. */
export const question = computed(() => JSON.stringify(reportOptions()));
/** Whether what was written last is about something else than what is asked now. */
export const stale = computed(() => written.value?.of !== report.value || written.value?.question !== question.value);
/** The document that the frame has loaded, a moment after it was written. */
export const loaded = signal<string | null>(null);
/** Whether the document on screen is the one that is asked for. */
export const printable = computed(
  () => !stale.value && written.value?.html != null && loaded.value === written.value.html,
);

/** Prints the document alone. */
export const print = () => document.querySelector<HTMLIFrameElement>('#preview')?.contentWindow?.print();
