// What an analysis found, block by block, as the core says it: one piece of code draws every sheet.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Column } from '../engine/messages.js';
import { least, withheld } from '../state/suppression.js';
import { showError } from './message.js';
import { save } from './words.js';
import { Figure, Row } from './figure.js';
import { Facts, Table } from './table.js';
import { Reading, Worded } from './worded.js';

type Block = wasm_bindgen.Block;
/** Blocks, and the columns that the pictures of their figures are in. */
export interface Blocked {
  blocks: Block[];
  columns: Column[];
}

/** No figure is drawn wider, in CSS pixels. */
const WIDEST = 1240;
/** Widths that differ by no more are the same. */
const SLACK = 4;

type Withheld = (width: number, suppress: number) => Promise<Blocked>;

interface Props {
  /** of files that downloads get */
  name: string;
  blocks: Block[];
  /** the same in a width */
  drawn: (width: number) => Promise<Blocked>;
  /** the same with counts below the second withheld: what may be saved of it */
  withheld?: Withheld;
  /** what `drawn` is about: another one, other figures */
  of: unknown;
  /** blocks before this one are shown elsewhere */
  from?: number;
  /** and so are those that this refuses */
  which?: (block: Block) => boolean;
}

export function Blocks({ name, blocks, drawn, withheld: gated, of, from = 0, which = () => true }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const room = useRoom(body);
  return (
    <div class="blocks" ref={body}>
      {blocks.map((block, i) =>
        i >= from && which(block) ? (
          <BlockView
            key={i}
            name={name}
            block={block}
            place={i}
            drawn={() => drawn(room())}
            gated={gated}
            of={[of, room()]}
          />
        ) : null,
      )}
    </div>
  );
}

/** How wide figures may be drawn in an element, now. */
function useRoom(element: RefObject<Element | null>): () => number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () =>
      setWidth((was) => (Math.abs(roomOf(element.current) - was) > SLACK ? roomOf(element.current) : was));
    const watch = new ResizeObserver(measure);
    if (element.current) watch.observe(element.current);
    measure();
    return () => watch.disconnect();
  }, []);
  return () => width || roomOf(element.current);
}

/** How wide figures may be drawn in an element. */
export const roomOf = (element: Element | null) => Math.floor(Math.min(element?.clientWidth ?? 0, WIDEST));

interface One {
  name: string;
  block: Block;
  place: number;
  drawn: () => Promise<Blocked>;
  gated?: Withheld;
  of: unknown[];
}
/** The text of a file that may be saved. */
async function fileOf(text: string, place: number, gated?: Withheld): Promise<string> {
  const suppress = least();
  if (!suppress) return text;
  const block = (await gated?.(0, suppress))?.blocks[place];
  if (typeof block !== 'object' || !('download' in block)) throw withheld('this file', suppress);
  return block.download.text;
}
function BlockView({ name, block, place, drawn, gated, of }: One) {
  if (typeof block === 'string') return null;
  if ('reading' in block) return <Reading>{block.reading}</Reading>;
  if ('heading' in block) return <h3>{block.heading}</h3>;
  if ('text' in block)
    return (
      <p>
        <Worded>{block.text}</Worded>
      </p>
    );
  if ('note' in block)
    return (
      <p class="muted">
        <Worded>{block.note}</Worded>
      </p>
    );
  if ('facts' in block) return <Facts facts={block.facts} />;
  if ('table' in block) return <Table sorts {...block.table} />;
  if ('download' in block) {
    const { name: file, text } = block.download;
    return (
      <p>
        <button
          type="button"
          class="quiet"
          onClick={() => fileOf(text, place, gated).then((left) => save(new Blob([left]), file), showError)}
        >
          Save {file}
        </button>
      </p>
    );
  }
  if (!('figures' in block)) return null;
  return <Figures {...{ name, figures: block.figures, place, drawn, gated, of }} />;
}

const widest = (figures: wasm_bindgen.Figure[]) => Math.max(0, ...figures.map(({ width }) => width));

/** As many figures side by side as there is room for, each as wide as it is drawn: no text beneath one widens it. */
function Figures({ name, figures, place, drawn, gated, of }: Omit<One, 'block'> & { figures: wasm_bindgen.Figure[] }) {
  const [width, setWidth] = useState(() => widest(figures));
  return (
    <div class="multiples" style={{ '--figure': `${width}px` }}>
      <Row figures={figures}>
        {figures.map(({ height }, i) => (
          <Figure
            key={i}
            height={height}
            name={`${name}-${place}-${i}`}
            of={of}
            ask={async () => {
              const { blocks, columns } = await drawn();
              const { figures: now } = blocks[place] as Extract<Block, { figures: wasm_bindgen.Figure[] }>;
              setWidth(widest(now));
              return { outcome: { figure: now[i] }, columns };
            }}
            withheld={async (room, suppress) => {
              const found = await gated?.(room.width, suppress);
              const left = found?.blocks[place];
              if (!found || typeof left !== 'object' || !('figures' in left)) return null;
              return { outcome: { figure: left.figures[i] }, columns: found.columns };
            }}
          />
        ))}
      </Row>
    </div>
  );
}
