// The recalibration through which everything is looked at.

import { report, subject } from '../state/store.js';

interface Evaluated {
  name: string;
  metrics: Record<string, { value: number | null }>;
}
const inRun = (name: string): Evaluated | undefined =>
  report.value?.methods.find((one: Evaluated) => one.name === name);

/** Whether the last run was asked for a method. */
export const hasMethod = (name: string): boolean => inRun(name) !== undefined;

/** Whether the last run evaluated a method: one that could not be fitted has no value of any metric. */
export const wasEvaluated = (name: string): boolean =>
  Object.values(inRun(name)?.metrics ?? {}).some(({ value }) => value !== null);

/** The subject's recalibration, where the last run evaluated it; null: the original predictions. */
export function subjectMethod(): string | null {
  const { repair } = subject.value;
  return repair && wasEvaluated(repair) ? repair : null;
}
