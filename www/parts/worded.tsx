// Sentences of the core: what is between backticks is the name of something, and a comparison stays on one line.

/** "n = 257", "ward = ICU", "age ≥ 60", as far as a phone has room for it on one line. */
const COMPARED = /((?:\S{1,16} )?[=<>≥≤≠] \S{1,16}(?=\s|$))/;

/** Text in which a name, a sign and a value are not parted by the end of a line. */
export const Unbroken = ({ children: text }: { children: string }) => (
  <>
    {text.split(COMPARED).map((part, i) =>
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

/** What was found, in one sentence. */
export const Reading = ({ children, id }: { children: string; id?: string }) => (
  <p class="reading" id={id}>
    <Worded>{children}</Worded>
  </p>
);
