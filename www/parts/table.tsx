// A table of what the core has worded: heads that sort, tones, a second line under a number, rows that can be picked.

import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { painter } from '../engine/core.js';
import { lit, pointing } from './linked.js';
import { showError } from './message.js';
import { whole } from './words.js';
import { Worded } from './worded.js';

type Cell = wasm_bindgen.Cell;
interface Head {
  title: string;
  align: wasm_bindgen.Align;
  /** what that means; may be empty */
  definition?: string;
}
/** What a line is sorted by: a number where there is one, else its text; who `stays` comes first in any order. */
type Key = { number?: number | null; text?: string; stays?: boolean };
export type Sorting = { place: number; title: string; falling: boolean } | null;
/** A sorting while its column is there, at its place or at another. */
export function stillSorted(sorting: Sorting, titles: string[]): Sorting {
  if (!sorting || titles[sorting.place] === sorting.title) return sorting;
  const place = titles.indexOf(sorting.title);
  return place < 0 ? null : { ...sorting, place };
}

const worded = (cell: Cell | string): Cell =>
  typeof cell === 'string' ? { text: cell, number: null, beneath: '', tone: 'plain' } : cell;

/** Lines in the order of their keys, which the core finds; until it has, as they are. */
export function useOrder<T>(lines: T[], sorting: Sorting, key: (line: T, place: number) => Key): T[] {
  const [order, setOrder] = useState<number[] | null>(null);
  // before other lines are seen in the order of those before
  useLayoutEffect(() => {
    let wanted = true;
    if (!sorting) return setOrder(null);
    const keys = JSON.stringify(lines.map((line) => key(line, sorting.place)));
    painter()
      .then(({ line_order }) => wanted && setOrder([...line_order(keys, sorting.falling)]))
      .catch(showError);
    return () => {
      wanted = false;
    };
  }, [lines, sorting?.place, sorting?.falling]);
  return sorting && order?.length === lines.length ? order.map((place) => lines[place]) : lines;
}

interface SortingProps extends Head {
  /** of what the column holds */
  id?: string;
  sorting: Falling;
  sort: () => void;
}
/** A head that sorts, with its arrow. */
export function SortingHead({ title, align, definition, id, sorting, sort }: SortingProps) {
  return (
    <th scope="col" class={align === 'end' ? 'number' : undefined} aria-sort={sorting ?? undefined}>
      <button type="button" class="link" title={definition || undefined} data-sort={id} onClick={sort}>
        {title || <span class="unseen">of</span>}
        {sorting && (sorting === 'descending' ? ' ↓' : ' ↑')}
      </button>
    </th>
  );
}
type Falling = 'ascending' | 'descending' | null;
/** How a column is sorted now. */
export const sortedBy = (sorting: Sorting, place: number): Falling =>
  sorting?.place === place ? (sorting.falling ? 'descending' : 'ascending') : null;

interface Props {
  caption: string;
  columns: Head[];
  rows: (Cell | string)[][];
  /** heads sort */
  sorts?: boolean;
  /** a row's head is a button, which tells the place of the row */
  pick?: (row: number) => void;
}

export function Table({ caption, columns, rows, sorts = false, pick }: Props) {
  const [chosen, setSorting] = useState<Sorting>(null);
  const sorting = stillSorted(
    chosen,
    columns.map(({ title }) => title),
  );
  const [all, setAll] = useState(false);
  const [every, setEvery] = useState(false);
  const sorted = useOrder(rows, sorting, (cells, place) => {
    const { number, text } = worded(cells[place]);
    return { number, text };
  });
  const several = rows.length > FEW;
  const brief = several && columns.length > FIRST && !every;
  const cards =
    isWide(columns, rows) &&
    ['cards', sorts && several && 'many', brief && 'brief', brief && columns.length > MANY && 'long']
      .filter(Boolean)
      .join(' ');
  const shown = all || rows.length <= LINES + FEW ? sorted : sorted.slice(0, LINES);
  // numbers first from the largest, words from A
  const sort = (place: number) => () => {
    const { title, align } = columns[place];
    setSorting({ place, title, falling: sorting?.place === place ? !sorting.falling : align === 'end' });
  };
  return (
    <Scrolling label={caption}>
      {cards && brief && (
        <button type="button" class="quiet every" onClick={() => setEvery(true)}>
          Show all values
        </button>
      )}
      <table class={cards || undefined}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((head, j) =>
              sorts ? (
                <SortingHead key={j} {...head} sorting={sortedBy(sorting, j)} sort={sort(j)} />
              ) : (
                <th key={j} scope="col" class={head.align === 'end' ? 'number' : undefined}>
                  {head.title || <span class="unseen">of</span>}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((cells) => (
            <Line
              key={rows.indexOf(cells)}
              cells={cells}
              columns={columns}
              pick={pick && (() => pick(rows.indexOf(cells)))}
            />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" class="quiet all" onClick={() => setAll(true)}>
          Show all {whole(rows.length)}
        </button>
      )}
    </Scrolling>
  );
}

/** Columns, the name among them, that several cards begin with; the others are shown when a person asks for them. */
const FIRST = 5;
/** Columns from which on a part of the finding shows the first alone on all but the widest screens. */
const MANY = 8;
/** Columns that stand beside each other on a phone. */
const BESIDE = 4;
/** Whether lines are too wide for a phone: by their words, by how many cells they have, or by long values. */
const isWide = (columns: Head[], rows: Props['rows']) =>
  columns.length > BESIDE ||
  columns.slice(1).some(({ align }) => align !== 'end') ||
  rows.some((cells) =>
    cells
      .slice(1)
      .map(worded)
      .some(({ text, beneath }) => beneath !== '' || text.length > WORDY),
  );

/**
 * "+0.0148, corrected +0.0195 (0.0073 to 0.034)": lines end before its second number and its interval; those of a value
 * of fewer than `from` letters only where it is in a card.
 */
const Value = ({ children: text, from = 0 }: { children: string; from?: number }) => (
  <span class={text.length < from ? undefined : 'pieces'}>
    {text.split(/(?<=,) | (?=\()/).map((part, i) => (
      <Fragment key={i}>
        {i > 0 && ' '}
        {part.length > WORDY ? part : <span class="unbroken">{part}</span>}
      </Fragment>
    ))}
  </span>
);
/** Letters of a value that stay on one line, and from which on a part of a value is a sentence. */
const [LINE, WORDY] = [32, 28];

/** What the end of a line cannot part, and is wider than a column of a card: a value, and smaller letters beneath it. */
const [WIDE, WIDE_BENEATH] = [/[^ ]{13}/, /[^ ]{15}/];

/** Letters from which on a text takes several lines of a table. */
const SENTENCE = 60;

/** What stands where there is no value. */
const NONE = '–';

/** Letters of a name without a space that stays on one line, as a date does, and of one that takes several. */
const [SHORT, LONG] = [12, 16];
const lengthOf = (name: string) =>
  name.length > LONG ? 'long' : name.length <= SHORT && !name.includes(' ') ? 'short' : undefined;

function Line({ cells, columns, pick }: { cells: (Cell | string)[]; columns: Head[]; pick?: () => void }) {
  const name = worded(cells[0]).text;
  return (
    <tr class={lit.value === name ? 'lit' : undefined} {...pointing(name)}>
      {cells.map(worded).map(({ text, beneath, tone }, j) => {
        const number = columns[j]?.align === 'end';
        const kind = `${number ? 'number' : ''} ${tone === 'plain' ? '' : tone}`.trim() || undefined;
        const value = number ? <Value from={LINE}>{text}</Value> : text;
        const said = (
          <>
            {tone === 'best' ? <strong>{value}</strong> : value}
            {beneath && <span class="plain">{number ? <Value>{beneath}</Value> : beneath}</span>}
          </>
        );
        if (j > 0)
          return (
            <td
              key={j}
              class={kind}
              data-name={columns[j]?.title}
              data-none={text === NONE && beneath === ''}
              data-sentence={(!number && text.length > SENTENCE) || undefined}
              data-wide={WIDE.test(text) || WIDE_BENEATH.test(beneath) || undefined}
            >
              {said}
            </td>
          );
        return (
          <th key={j} scope="row" class={kind} data-length={lengthOf(text)}>
            {pick ? (
              <button
                type="button"
                class="link"
                onClick={pick}
                aria-label={cells.map((cell) => worded(cell).text).join(', ')}
              >
                {said}
              </button>
            ) : (
              said
            )}
          </th>
        );
      })}
    </tr>
  );
}

/** So many lines are shown before a person asks for all of them; a few more are shown at once. */
const LINES = 20;
const FEW = 5;

/** What is too wide scrolls by itself, by keyboard too. */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}

/** Names with values. */
export function Facts({ facts }: { facts: wasm_bindgen.Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">
            <Worded>{value}</Worded>
          </dd>
        </div>
      ))}
    </dl>
  );
}
