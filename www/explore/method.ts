// The recalibration through which everything is looked at.

import { report, subject } from '../state/store.js';

/** The subject's recalibration, where the last run has it; null: the original predictions. */
export function subjectMethod(): string | null {
  const { repair } = subject.value;
  return repair && hasMethod(repair) ? repair : null;
}

/** Whether the last run has a method. */
export const hasMethod = (name: string): boolean =>
  report.value?.methods.some((one: { name: string }) => one.name === name) ?? false;
