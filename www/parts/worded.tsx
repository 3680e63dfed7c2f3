// A sentence of the core: what is between backticks is the name of something.

export const Worded = ({ children: text }: { children: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);
