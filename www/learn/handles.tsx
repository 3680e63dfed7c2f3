// The handles of a screen: sliders, choices, and the plane on which regions are dragged.

import { useRef } from 'preact/hooks';
import { CASE_NAMES, METHOD_NAMES, SETS, WORLD_NAMES } from './lesson.js';
import type { Handle, Lab, Region } from './state.js';
import { GROUP, HANDLES, REGION, answers, change, hidden, lab, movable, showCase } from './state.js';

interface SliderProps {
  name: string;
  label: string;
  low: number;
  high: number;
  step: number;
  steps?: number[];
  value: number;
  to: (value: number) => void;
}
/** A slider with its value; one with `steps` takes these and no others. An `output` would take the label from it. */
function Slider({ name, label, low, high, step, steps, value, to }: SliderProps) {
  const nearest = (x: number) =>
    (steps ?? []).reduce((best, one, i, all) => (Math.abs(one - x) < Math.abs(all[best] - x) ? i : best), 0);
  const [from, until, by, at] = steps ? [0, steps.length - 1, 1, nearest(value)] : [low, high, step, value];
  const text = value.toLocaleString('en-US', { maximumFractionDigits: 3 }).replace('-', '−');
  return (
    <label class="slider">
      <span>
        {label} <span class="number">{text}</span>
      </span>
      <input
        type="range"
        name={name}
        aria-label={label}
        min={from}
        max={until}
        step={by}
        value={at}
        aria-valuetext={text}
        onInput={({ currentTarget }) => {
          const x = Number(currentTarget.value);
          to(steps ? steps[x] : Number(x.toFixed(6)));
        }}
      />
    </label>
  );
}

const handle = (key: string) => HANDLES.find((one) => one.key === key) as Handle;

/** A number that is written, as a seed is. */
function Whole({
  key: _,
  name,
  label,
  low,
  high,
}: {
  key?: string;
  name: 'seed' | 'draw' | 'k' | 'lesson';
  label: string;
  low: number;
  high: number;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        name={name}
        min={low}
        max={high}
        step={1}
        value={lab.value[name]}
        onChange={({ currentTarget }) => {
          const x = Math.round(Number(currentTarget.value));
          if (x >= low && x <= high) change({ [name]: x });
          else currentTarget.value = String(lab.peek()[name]);
        }}
      />
    </label>
  );
}
export { Whole };

interface PickProps {
  name: string;
  label: string;
  options: [string, string][];
  value: string;
  to: (value: string) => void;
}
export function Pick({ name, label, options, value, to }: PickProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name} value={value} onChange={({ currentTarget }) => to(currentTarget.value)}>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Rows of each level of the line-up. */
const LEVELS = [50, 100, 200, 500, 1000, 5000];

/** One handle by its key. */
export function HandleOf({ name, locked = false }: { name: string; locked?: boolean }) {
  const now = lab.value;
  if (hidden(name)) return null;
  switch (name) {
    case 'region':
      return <Plane locked={locked} />;
    case 'group':
      return (
        <>
          {GROUP.map((_, i) => (
            <GroupPart key={i} part={i} />
          ))}
        </>
      );
    case 'neighbors':
      return (
        <Pick
          name="neighbors"
          label="Neighbors from"
          options={[
            ['bin', 'the same bin'],
            ['all', 'all rows'],
          ]}
          value={now.neighbors}
          to={(neighbors) => change({ neighbors })}
        />
      );
    case 'method':
      return (
        <Pick
          name="method"
          label="Diagram and map of"
          options={Object.entries(METHOD_NAMES)}
          value={now.method}
          to={(method) => change({ method })}
        />
      );
    case 'world':
      return (
        <Pick
          name="world"
          label="World"
          options={Object.entries(WORLD_NAMES)}
          value={now.world}
          to={(world) => change({ world })}
        />
      );
    case 'cost':
      return (
        <Pick
          name="cost"
          label="Cost of a false negative"
          options={[
            ['1', 'that of a false positive'],
            ['3', '3 times that'],
            ['9', '9 times that'],
          ]}
          value={String(now.cost)}
          to={(cost) => change({ cost: Number(cost) })}
        />
      );
    case 'case':
      return <Pick name="case" label="Case" options={Object.entries(CASE_NAMES)} value={now.case} to={showCase} />;
    case 'set':
      return (
        <Pick
          name="set"
          label="Questions"
          options={Object.entries(SETS).map(([id, { name }]) => [id, name])}
          value={now.set}
          to={(set) => change({ set })}
        />
      );
    case 'level':
      return (
        <Slider
          name="level"
          label="Rows n"
          low={0}
          high={5}
          step={1}
          steps={LEVELS}
          value={LEVELS[now.level]}
          to={(n) => change({ level: LEVELS.indexOf(n) })}
        />
      );
    case 'seed':
    case 'draw': {
      const { label, low, high } = handle(name);
      return <Whole name={name} {...{ label, low, high }} />;
    }
    default: {
      const one = handle(name);
      // day by day on screen 2, to 1,000
      const steps = now.screen === 2 ? one.steps?.filter((n) => n <= 1000) : one.steps;
      return <Slider name={name} {...one} steps={steps} value={now[one.key]} to={(x) => change({ [one.key]: x })} />;
    }
  }
}

function GroupPart({ part }: { part: number }) {
  const { group } = lab.value;
  const to = (x: number) => change({ group: group.map((old, i) => (i === part ? x : old)) as Lab['group'] });
  return <Slider name={`group-${part}`} {...GROUP[part]} value={group[part]} to={to} />;
}

const NAMES = ['A', 'B', 'C', 'D'];
const SIDE = 240;
const pixel = (x: number) => ((x + 3) / 6) * SIDE;
const tenth = (x: number) => Math.round(10 * Math.max(-3, Math.min(3, x))) / 10;

/** The plane of x₁ and x₂: a region is dragged, or moved by the arrow keys; its depth has a slider. */
function Plane({ locked }: { locked: boolean }) {
  const { region, screen } = lab.value;
  const predicted: Region[] = JSON.parse(answers.value[screen]?.set ?? '[]');
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<number | null>(null);
  const set = (k: number, next: Partial<Record<0 | 1 | 2 | 3, number>>) =>
    change({ region: region.map((one, i) => (i === k ? one.map((x, j) => next[j as 0] ?? x) : one)) as Region[] });
  const free = movable(region);
  const isFree = (k: number) => !locked && free.includes(region[k]);
  const move = ({ clientX, clientY }: PointerEvent) => {
    const k = dragged.current;
    const box = svg.current?.getBoundingClientRect();
    if (k === null || !box) return;
    set(k, {
      0: tenth(((clientX - box.left) / box.width) * 6 - 3),
      1: tenth(3 - ((clientY - box.top) / box.height) * 6),
    });
  };
  const keys: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  };
  const press = (event: KeyboardEvent, k: number) => {
    const by = keys[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const far = event.shiftKey ? 0.5 : 0.1;
    set(k, { 0: tenth(region[k][0] + far * by[0]), 1: tenth(region[k][1] + far * by[1]) });
  };
  return (
    <>
      <svg
        ref={svg}
        class="plane"
        viewBox={`0 0 ${SIDE} ${SIDE}`}
        onPointerMove={move}
        onPointerUp={() => (dragged.current = null)}
        onPointerCancel={() => (dragged.current = null)}
      >
        <title>The plane of x₁ (to the right) and x₂ (up), from −3 to 3</title>
        <path class="grid" d={`M${SIDE / 2} 0V${SIDE}M0 ${SIDE / 2}H${SIDE}`} />
        {predicted.map(([x, y, radius], k) => (
          <circle key={k} class="predicted" cx={pixel(x)} cy={SIDE - pixel(y)} r={(radius / 6) * SIDE}>
            <title>Your prediction</title>
          </circle>
        ))}
        {region.map(([x, y, radius, depth], k) => (
          <g
            key={k}
            class={`region ${depth > 0 ? 'over' : depth < 0 ? 'under' : ''} ${isFree(k) ? 'movable' : ''}`}
            tabindex={isFree(k) ? 0 : undefined}
            role={isFree(k) ? 'slider' : undefined}
            aria-label={`Region ${NAMES[k]}`}
            aria-valuemin={isFree(k) ? -3 : undefined}
            aria-valuemax={isFree(k) ? 3 : undefined}
            aria-valuenow={isFree(k) ? x : undefined}
            aria-valuetext={isFree(k) ? `x₁ ${x}, x₂ ${y}` : undefined}
            onPointerDown={(event) => {
              if (!isFree(k)) return;
              dragged.current = k;
              svg.current?.setPointerCapture(event.pointerId);
            }}
            onKeyDown={(event) => isFree(k) && press(event, k)}
          >
            <circle cx={pixel(x)} cy={SIDE - pixel(y)} r={(radius / 6) * SIDE} />
            <text x={pixel(x)} y={SIDE - pixel(y) + 5} text-anchor="middle">
              {NAMES[k]} {depth > 0 ? '▲' : depth < 0 ? '▼' : ''}
            </text>
          </g>
        ))}
      </svg>
      {region.map((one, k) =>
        isFree(k) ? (
          <Slider
            key={k}
            name={`depth-${NAMES[k].toLowerCase()}`}
            {...REGION[3]}
            label={`Region ${NAMES[k]}: predicted − true (pp)`}
            value={one[3]}
            to={(depth) => set(k, { 3: depth })}
          />
        ) : (
          <p key={k} class="muted">
            Region {NAMES[k]}: {one[3] > 0 ? 'over' : 'under'}estimated by {Math.abs(one[3])} percentage points
          </p>
        ),
      )}
    </>
  );
}
