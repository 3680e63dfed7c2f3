// The methods of an experiment: any base, any second after it, several times with their own names and settings.

import { useState } from 'preact/hooks';
import { catalogue, methodTitle } from '../../parts/catalogue.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import { counted, whole } from '../../parts/words.js';
import type { Method } from '../../state/experiment.js';
import { nameOf, put, spec, withMethod } from '../../state/experiment.js';
import { open } from '../../state/store.js';
import { TextField } from './fields.js';
import { bases, looksNear, seconds, taking, usualOf } from './offered.js';
import { composed } from './templates.js';

export function Methods() {
  const { methods } = spec.value;
  // one at a time: a long list stays one
  const [unfolded, unfold] = useState<number | null>(null);
  return (
    <>
      {methods.length === 0 && <p class="muted">No methods. Add some below.</p>}
      <ol class="list many" aria-label="Methods">
        {methods.map((method, i) => (
          <OneMethod key={i} method={method} at={i} unfolded={i === unfolded} unfold={unfold} />
        ))}
      </ol>
      {methods.length > 1 && (
        <p>
          <button type="button" class="quiet" onClick={() => put({ methods: [] })}>
            Remove all {whole(methods.length)}
          </button>
        </p>
      )}
      <Adding />
    </>
  );
}

interface OneProps {
  method: Method;
  at: number;
  unfolded: boolean;
  unfold: (at: number | null) => void;
}
function OneMethod({ method, at, unfolded, unfold }: OneProps) {
  const { methods, spaces } = spec.value;
  const { id, parameters = {}, space } = method;
  const name = nameOf(method);
  const chooses = looksNear(id) && spaces.length > 1;
  const settings = settingsOf(id);
  return (
    <li>
      <div class="item">
        <TextField
          name={`method-${at}`}
          label={`Name of ${name}`}
          unseen
          value={name}
          put={(typed) => withMethod(at, { name: typed || undefined })}
        />
        <span class="muted what">{methodTitle(id)}</span>
        <span class="row tools">
          {(settings || chooses) && (
            <button
              type="button"
              class="quiet"
              aria-expanded={unfolded}
              aria-label={`Settings of ${name}`}
              onClick={() => unfold(unfolded ? null : at)}
            >
              Settings
            </button>
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Duplicate ${name}`}
            title="Duplicate to use other settings"
            onClick={() => {
              put({ methods: [...methods.slice(0, at + 1), { ...method, name: undefined }, ...methods.slice(at + 1)] });
              unfold(at + 1);
            }}
          >
            Duplicate
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${name}`}
            onClick={() => {
              put({ methods: methods.filter((_, i) => i !== at) });
              unfold(null);
            }}
          >
            Remove
          </button>
        </span>
      </div>
      {unfolded && (
        <div class="of-item">
          {chooses && (
            <ChoiceField
              name={`method-${at}-space`}
              label="Feature space"
              value={space ?? ''}
              choices={[['', 'Each feature space'], ...spaces.map((one): [string, string] => [one.name, one.name])]}
              put={(chosen) => withMethod(at, { space: chosen || undefined })}
            />
          )}
          <Settings
            id={id}
            values={parameters}
            label={`method-${at}`}
            put={(values) => withMethod(at, { parameters: values })}
          />
        </div>
      )}
    </li>
  );
}

/** The parts of a method that has settings: of `a+b` the settings of b, and below those of a. */
const settingsOf = (id: string): boolean =>
  id.split('+').some((part) => (catalogue.value?.methods.find((one) => one.id === part)?.parameters.length ?? 0) > 0);

interface SettingsProps {
  id: string;
  values: Record<string, unknown>;
  label: string;
  put: (values: Record<string, unknown>) => void;
}
/** A form from what the catalogue says of a method; of one after another a form for each. */
function Settings({ id, values, label, put: give }: SettingsProps) {
  const [last, ...before] = id.split('+').reverse();
  const base = before.reverse().join('+');
  const described = catalogue.value?.methods.find((one) => one.id === last);
  const parameters = (described?.parameters ?? []).filter((one) => taking(one).is !== 'space');
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values;
    give(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <>
      {parameters.length > 0 && (
        <fieldset class="of-method">
          {base && <legend>{described?.title}</legend>}
          <div class="row fields">
            {parameters.map((one) => (
              <Setting
                key={one.name}
                of={one}
                name={`${label}-${one.name}`}
                value={values[one.name]}
                put={(value) => change(one.name, value)}
              />
            ))}
          </div>
        </fieldset>
      )}
      {base && (
        <Settings
          id={base}
          values={(values.base ?? {}) as Record<string, unknown>}
          label={`${label}-base`}
          put={(own) => change('base', Object.keys(own).length > 0 ? own : undefined)}
        />
      )}
    </>
  );
}

interface SettingProps {
  of: wasm_bindgen.DescribedParameter;
  name: string;
  value: unknown;
  put: (value: unknown) => void;
}
function Setting({ of, name, value, put: give }: SettingProps) {
  const takes = taking(of);
  const usual = usualOf(of);
  const label = of.name.replaceAll('_', ' ');
  const field = () => {
    if (takes.is === 'number')
      return (
        <NumberField
          name={name}
          label={label}
          value={typeof value === 'number' ? value : null}
          bounds={takes.bounds}
          placeholder={usual || 'default'}
          put={give}
        />
      );
    if (takes.is === 'switch' || takes.is === 'choice') {
      const words = takes.is === 'switch' ? ['true', 'false'] : takes.of;
      return (
        <ChoiceField
          name={name}
          label={label}
          value={value === undefined ? '' : String(value)}
          choices={[
            ['', usual ? `Default (${usual})` : 'Default'],
            ...words.map((word): [string, string] => [word, word]),
          ]}
          put={(word) => give(word === '' ? undefined : word === 'true' || word === 'false' ? word === 'true' : word)}
        />
      );
    }
    if (takes.is === 'columns') {
      const columns = (open.value?.summary.columns ?? []).filter(({ role }) => role === 'group');
      return (
        <ChoiceField
          name={name}
          label={label}
          value={Array.isArray(value) ? String(value[0]) : String(value ?? '')}
          choices={[['', 'Default'], ...columns.map((column): [string, string] => [column.name, column.name])]}
          put={(chosen) => give(chosen === '' ? undefined : [chosen])}
        />
      );
    }
    return (
      <TextField
        name={name}
        label={`${label} (JSON)`}
        value={value === undefined ? '' : JSON.stringify(value)}
        placeholder={usual || 'default'}
        put={(typed) => {
          if (typed === '') return give(undefined);
          try {
            give(JSON.parse(typed));
          } catch {
            give(typed); // a word: the core says whether it is one
          }
        }}
      />
    );
  };
  return (
    <div class="setting" title={`${of.words}: ${of.takes}`}>
      {field()}
    </div>
  );
}

/** Any base, and any second after it. */
function Adding() {
  const [first, setFirst] = useState<string[]>([]);
  const [then, setThen] = useState<string[]>([]);
  const { methods } = spec.value;
  const pairs = first.flatMap((base) => (then.length > 0 ? then : ['none']).map((second) => composed(base, second)));
  const fresh = pairs.filter((id) => !methods.some((one) => one.id === id && !one.parameters));
  return (
    <fieldset class="adding">
      <legend>Add methods (each base followed by each second method)</legend>
      <div class="pickers">
        <Picker
          legend="Base method"
          name="base"
          options={bases().map(({ id, title, plain }) => [id, title, plain])}
          value={first}
          choose={setFirst}
        />
        <Picker
          legend="Second method"
          name="then"
          options={[
            ['none', 'None', 'the base method alone'],
            ...seconds().map(({ id, title, plain }): Option => [id, title, plain]),
          ]}
          value={then}
          choose={setThen}
        />
      </div>
      <p class="row">
        <button
          type="button"
          disabled={fresh.length === 0}
          onClick={() => {
            put({ methods: [...methods, ...fresh] as Method[] });
            setFirst([]);
            setThen([]);
          }}
        >
          {fresh.length > 0 ? `Add ${counted(fresh.length, 'method')}` : 'Add'}
        </button>
        {pairs.length > fresh.length && (
          <span class="muted">
            {counted(pairs.length - fresh.length, 'method')} already included; use Duplicate for a copy
          </span>
        )}
      </p>
    </fieldset>
  );
}

type Option = [value: string, title: string, plain: string];
interface PickerProps {
  legend: string;
  name: string;
  options: Option[];
  value: string[];
  choose: (value: string[]) => void;
}
function Picker({ legend, name, options, value, choose }: PickerProps) {
  return (
    <fieldset class="picker">
      <legend>{legend}</legend>
      {options.map(([id, title, plain]) => (
        <label key={id} class="check" title={plain}>
          <input
            type="checkbox"
            name={name}
            value={id}
            checked={value.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              choose(options.map(([one]) => one).filter((one) => (one === id ? checked : value.includes(one))))
            }
          />{' '}
          {title}
        </label>
      ))}
    </fieldset>
  );
}
