// Fields that the other forms of the page do not have.

import { useLayoutEffect, useRef } from 'preact/hooks';

interface TextProps {
  name: string;
  label: string;
  /** who sees it knows what it is */
  unseen?: boolean;
  value: string;
  placeholder?: string;
  put: (value: string) => void;
}
/** What is being typed stays; otherwise it shows the value. */
export function TextField({ name, label, unseen = false, value, placeholder, put }: TextProps) {
  const input = useRef<HTMLInputElement>(null);
  const shown = useRef<string | null>(null);
  // before anybody can write into an empty field
  useLayoutEffect(() => {
    const { current: field } = input;
    if (field && (field !== document.activeElement || shown.current !== value)) field.value = value;
    shown.current = value;
  });
  return (
    <label class="field">
      <span class={unseen ? 'unseen' : undefined}>{label}</span>
      <input
        ref={input}
        type="text"
        name={name}
        placeholder={placeholder}
        spellcheck={false}
        onChange={({ currentTarget }) => put(currentTarget.value.trim())}
      />
    </label>
  );
}

/** Values of a setting as they are typed: numbers where they are, else words. */
export const levelsIn = (text: string): (number | string)[] =>
  text
    .split(/[,;\s]+/)
    .filter(Boolean)
    .map((one) => (Number.isFinite(Number(one)) ? Number(one) : one));

/** How many steps there may be from one number to another. */
export const STEPS = { low: 1, high: 100, whole: true };
/** Steps from one number to another: as far from each other, or in equal ratios; to four digits. */
export function stepsBetween(from: number, to: number, steps: number, log: boolean): number[] {
  const many = Math.max(STEPS.low, Math.min(STEPS.high, Math.round(steps)));
  const at = (i: number) => {
    const share = many === 1 ? 0 : i / (many - 1);
    return log ? from * (to / from) ** share : from + (to - from) * share;
  };
  return [...new Set(Array.from({ length: many }, (_, i) => Number(at(i).toPrecision(4))))];
}
