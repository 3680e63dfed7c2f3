// The settings of an answer as fields: a number, a choice, several of a list, coordinates, a switch.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Bounds } from '../state/schema.js';
import { boundsInWords, isWithin } from '../state/schema.js';

type Field = wasm_bindgen.Field;
/** Takes the new value of an option; undefined: as the core chooses. */
export type Put = (option: string, value: unknown) => void;

interface FormProps {
  /** as an answer says them */
  fields: Field[];
  /** what is chosen, and what was when that was answered, by option */
  settings: Record<string, unknown>;
  answered: Record<string, unknown>;
  put: Put;
}
export function Form({ fields, settings, answered, put }: FormProps) {
  return (
    <div class="row fields">
      {fields.map((field) => (
        <FieldView
          key={field.option}
          field={asChosen(field, settings[field.option], answered[field.option])}
          put={(value) => put(field.option, value)}
        />
      ))}
    </div>
  );
}

/** What the open file and the last run offer: columns by what they can be, methods with their titles. */
export interface Offered {
  columns: wasm_bindgen.ColumnChoices;
  methods: [string, string][];
}
const DEFAULT = 'default';

/**
 * The fields of a form before any answer says them: numbers, choices and switches with their defaults; columns and
 * the methods requested, else the default, which the core chooses and an answer names. Metrics depend on the
 * analysis: an answer adds them.
 */
export function fieldsOf(
  { options }: Pick<wasm_bindgen.Description, 'options'>,
  offered: Offered,
  asked: Record<string, unknown>,
): Field[] {
  return options.flatMap(({ name: option, label, kind }) => {
    const usual = usualOf(kind) ?? offeredOf(kind, offered, asked[option]);
    if (!label || !usual) return [];
    const open = 'several' in usual && usual.several.value.length === 0;
    return [{ option, label: open ? `${label} (${DEFAULT})` : label, kind: usual }];
  });
}
/** What is put before an answer names the default: where nothing is chosen, the core chooses. */
export const unlessDefault = (value: unknown): unknown =>
  value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;

function offeredOf(kind: wasm_bindgen.DescribedKind, offered: Offered, asked: unknown): Field['kind'] | null {
  const one = (value: string, choices: [string, string][]): Field['kind'] => ({ choice: { value, choices } });
  const several = (choices: [string, string][]): Field['kind'] => ({
    several: { value: isNames(asked) ? asked : [], choices },
  });
  // a method alone is no choice
  const methods = offered.methods.length > 1 ? offered.methods : null;
  // the core looks through the original predictions where they are among the methods
  const usual = methods?.some(([id]) => id === 'none') ? 'none' : (methods?.[0]?.[0] ?? '');
  if (kind === 'method') return methods && one(typeof asked === 'string' ? asked : usual, methods);
  if (kind === 'methods') return methods && several(methods);
  if (typeof kind !== 'object' || !('column' in kind || 'columns' in kind)) return null;
  const names = offered.columns['column' in kind ? kind.column : kind.columns];
  if (names.length === 0) return null;
  const choices = names.map((name): [string, string] => [name, name]);
  if ('columns' in kind) return several(choices);
  return one(typeof asked === 'string' ? asked : '', [['', DEFAULT], ...choices]);
}
function usualOf(kind: wasm_bindgen.DescribedKind): Field['kind'] | null {
  if (kind === 'switch') return { check: { value: false } };
  if (typeof kind !== 'object') return null;
  if ('choice' in kind) return { choice: { value: kind.choice[0]?.[0] ?? '', choices: kind.choice } };
  if (!('number' in kind)) return null;
  const { usual, low, high, whole } = kind.number;
  return { number: { value: usual, bounds: low === null || high === null ? null : { low, high, whole } } };
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** A field as it is chosen now, where that is not what was `answered`: the answer that says so is on its way. */
export function asChosen(field: Field, value: unknown, answered: unknown): Field {
  const { kind } = field;
  if (JSON.stringify(value) === JSON.stringify(answered)) return field;
  if ('number' in kind) {
    const number = typeof value === 'number' ? value : null;
    return { ...field, kind: { number: { ...kind.number, value: number } } };
  }
  if ('choice' in kind && typeof value === 'string') return { ...field, kind: { choice: { ...kind.choice, value } } };
  if ('check' in kind && typeof value === 'boolean') return { ...field, kind: { check: { value } } };
  if ('several' in kind && isNames(value)) return { ...field, kind: { several: { ...kind.several, value } } };
  if (!('coordinates' in kind)) return field;
  const { of, pca } = (isNames(value) ? { of: value } : Object(value)) as { of?: unknown; pca?: number };
  if (!isNames(of)) return field;
  return { ...field, kind: { coordinates: { ...kind.coordinates, value: of, components: pca ?? null } } };
}

function FieldView({ field: { option, label, kind }, put }: { field: Field; put: (value: unknown) => void }) {
  if ('number' in kind) return <NumberField name={option} label={label} {...kind.number} put={put} />;
  if ('choice' in kind) return <ChoiceField name={option} label={label} {...kind.choice} put={put} />;
  if ('check' in kind) return <CheckField name={option} label={label} value={kind.check.value} put={put} />;
  if ('several' in kind)
    return (
      <fieldset class="several">
        <legend>{label}</legend>
        <Boxes name={option} {...kind.several} put={put} />
      </fieldset>
    );
  const { value, choices, components, ways } = kind.coordinates;
  // columns as they stand, or so many principal components of them
  const putColumns = (names: string[], many: number | null) => put(many ? { pca: many, of: names } : names);
  return (
    <fieldset class="several">
      <legend>{label}</legend>
      <select
        name={`${option}-as`}
        aria-label={`${label}: form`}
        value={components ?? ''}
        onChange={({ currentTarget }) => putColumns(value, Number(currentTarget.value) || null)}
      >
        {ways.map(([many, title]) => (
          <option key={title} value={many ?? ''}>
            {title}
          </option>
        ))}
      </select>
      <Boxes
        name={option}
        value={value}
        choices={choices.map((name) => [name, name])}
        put={(names) => putColumns(names, components)}
      />
    </fieldset>
  );
}

interface Named<T> {
  name: string;
  label: string;
  value: T;
}

interface NumberProps extends Named<number | null> {
  /** beyond them nothing is put: the field says what it takes; none: any number */
  bounds?: Bounds | null;
  placeholder?: string;
  put: (value: number | undefined) => void;
}
/** A number as a person types it: 0.1 and 10 % are the same; undefined: nothing; NaN: no number. */
function numberIn(text: string): number | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const percent = typed.endsWith('%');
  const number = Number(percent ? typed.slice(0, -1) : typed);
  if (!Number.isFinite(number)) return Number.NaN;
  return percent ? number / 100 : number;
}
/** Whether a field that takes numbers within `bounds` refuses what was typed into it. */
export const isRefused = (given: number | undefined, bounds?: Bounds | null): boolean =>
  given !== undefined && (Number.isNaN(given) || Boolean(bounds && !isWithin(given, bounds)));

/** What is being typed stays; otherwise it shows the value. */
export function NumberField({ name, label, value, bounds, placeholder, put }: NumberProps) {
  const input = useRef<HTMLInputElement>(null);
  const shown = useRef(value);
  const [refused, setRefused] = useState(false);
  // before anybody can read an empty field
  useLayoutEffect(() => {
    const { current: field } = input;
    const moved = shown.current !== value;
    if (moved) setRefused(false);
    if (field && (moved || (field !== document.activeElement && !refused))) field.value = String(value ?? '');
    shown.current = value;
  });
  const take = ({ value: typed }: HTMLInputElement) => {
    const given = numberIn(typed);
    const bad = isRefused(given, bounds);
    setRefused(bad);
    if (!bad) put(given);
  };
  const says = `${name}-takes`;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        ref={input}
        type="text"
        inputMode={bounds && bounds.low >= 0 ? 'decimal' : undefined}
        name={name}
        placeholder={placeholder}
        aria-invalid={refused}
        aria-describedby={refused ? says : undefined}
        onChange={({ currentTarget }) => take(currentTarget)}
      />
      {refused && (
        <span class="refused" id={says} role="alert">
          Enter {bounds ? boundsInWords(bounds) : 'a number'}.
        </span>
      )}
    </label>
  );
}

interface ChoiceProps<T extends string> extends Named<T> {
  choices: [T, string][];
  put: (value: T) => void;
}
export function ChoiceField<T extends string>({ name, label, value, choices, put }: ChoiceProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name} value={value} onChange={({ currentTarget }) => put(currentTarget.value as T)}>
        {choices.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

export function CheckField({ name, label, value, put }: Named<boolean> & { put: (value: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={value} onChange={({ currentTarget }) => put(currentTarget.checked)} />{' '}
      {label}
    </label>
  );
}

interface BoxesProps {
  name: string;
  value: string[];
  choices: [string, string][];
  put: (value: string[]) => void;
}
/** A box for each of a list; what is ticked keeps the order of the list. */
function Boxes({ name, value, choices, put }: BoxesProps) {
  const values = choices.map(([one]) => one);
  return choices.map(([one, title]) => (
    <label key={one} class="check">
      <input
        type="checkbox"
        name={name}
        value={one}
        checked={value.includes(one)}
        onChange={({ currentTarget: { checked } }) =>
          put(values.filter((each) => (each === one ? checked : value.includes(each))))
        }
      />{' '}
      {title}
    </label>
  ));
}
