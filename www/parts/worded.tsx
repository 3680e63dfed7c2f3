// Sentences of the core: what is between backticks is the name of something, and a comparison stays on one line.

import { sentencesOf } from './words.js';

/**
 * "n = 257", "ward = ICU", "age ≥ 60", of whole words, as far as a phone has room for it on one line, and dates with the
 * mark behind them.
 */
export const ONE_PIECE = /((?:(?<!\S)\S{1,16} )?[=<>≥≤≠] \S{1,16}(?=\s|$)|\b\d{4}-\d{2}(?:-\d{2})?\b[,.:;)]*)/;

/** Text in which a name, a sign and a value, or the parts of a date, are not parted by the end of a line. */
export const Unbroken = ({ children: text }: { children: string }) => (
  <>
    {text.split(ONE_PIECE).map((part, i) =>
      i % 2 === 1 ? (
        <span key={i} class="unbroken">
          {part}
        </span>
      ) : (
        part
      ),
    )}
  </>
);

export const Worded = ({ children: text }: { children: string }) => (
  <>
    {text
      .split('`')
      .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : <Unbroken key={i}>{part}</Unbroken>))}
  </>
);

interface ReadingProps {
  children: string;
  id?: string;
  /** what was found is the first sentence; the others, which say what it is about, are smaller */
  first?: boolean;
}
/** What was found, in one sentence. */
export function Reading({ children: text, id, first = false }: ReadingProps) {
  const [found, ...others] = first ? sentencesOf(text) : [text];
  return (
    <p class="reading" id={id}>
      <Worded>{found}</Worded>
      {others.length > 0 && (
        <>
          {' '}
          <span class="further">
            <Worded>{others.join(' ')}</Worded>
          </span>
        </>
      )}
    </p>
  );
}
