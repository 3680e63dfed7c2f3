// Numbers and lists as texts, and files to keep.

/** A whole number with thousands separators. */
export const whole = (value: number) => value.toLocaleString('en-GB', { maximumFractionDigits: 0 });

/** "ward, sex and age". */
export const listed = (names: string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Letters of a name that a sentence has room for. */
const ROOM = 60;
/** A name as far as a sentence has room for it. */
export const brief = (name: string) => (name.length > ROOM ? `${name.slice(0, ROOM - 10)}…` : name);

/** "1 row", "2 rows". */
export const counted = (number: number, one: string) => `${whole(number)} ${one}${number === 1 ? '' : 's'}`;

/** A sentence as it goes on after another word: its capital is small, unless it begins with an abbreviation. */
export const lowered = (sentence: string) =>
  /^\p{Lu}\p{Ll}/u.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;

/** "Temperature scaling: not significantly better than no recalibration." */
export const labeled = (name: string, sentence: string) => `${name}: ${lowered(sentence)}`;

/** Saves a blob under a name. */
export function save(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The sentences of a text: one ends with a point, and the next begins with a capital letter. */
export const sentencesOf = (text: string): string[] => text.split(/(?<=\.) (?=[A-Z])/);
/** What a text says that another does not say in the same sentences; empty: nothing. */
export const unsaid = (text: string, said: string): string =>
  sentencesOf(text)
    .filter((one) => !said.includes(one))
    .join(' ');
