// A panel that looks at several files at once: others are opened in the same way as the one on the page and scored as
// it was. They stay while that one is open.

import { signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { open as openFile } from '../engine/localcal.js';
import { descriptionOf } from '../parts/catalogue.js';
import { showError } from '../parts/message.js';
import { Panel } from '../parts/panel.js';
import { withLine } from '../parts/progress.js';
import { open } from '../state/store.js';

/** Other files by the data set that they are compared with and the kind of panel. */
const others = signal<{ of: Data | null; by: Record<string, Data[]> }>({ of: null, by: {} });
open.subscribe((now) => {
  const data = now?.data ?? null;
  if (data === others.peek().of) return;
  for (const one of Object.values(others.peek().by).flat()) one.close();
  others.value = { of: data, by: {} };
});
const put = (kind: string, files: Data[]) =>
  (others.value = { ...others.peek(), by: { ...others.peek().by, [kind]: files } });

/** What they were called. */
const names = new WeakMap<Data, string>();

export function FilesPanel({ kind }: { kind: string }) {
  const held = othersOf(kind);
  // files that cannot be compared with this one are not kept: the panel says why
  const refused = ({ others: before = [] }: { others?: Data[] }) => {
    for (const one of held.filter((other) => !before.includes(other))) one.close();
    if (held.length !== before.length) put(kind, before);
  };
  return (
    <Panel kind={kind} more={{ others: held }} refused={refused}>
      <OtherFiles kind={kind} label={descriptionOf(kind)?.files ?? ''} />
    </Panel>
  );
}

/** Data sets compared with the open one. */
export const othersOf = (kind: string): Data[] => others.value.by[kind] ?? [];

/** Files that are added, and those that were. */
export function OtherFiles({ kind, label }: { kind: string; label: string }) {
  const held = othersOf(kind);
  return (
    <div class="files">
      <label class="field">
        <span>{label}</span>
        <input
          type="file"
          name="others"
          multiple
          onChange={async ({ currentTarget: input }) => {
            await add(kind, [...(input.files ?? [])]);
            input.value = '';
          }}
        />
      </label>
      {held.length > 0 && (
        <ul class="row">
          {held.map((one, place) => (
            <li key={place}>
              {names.get(one)}{' '}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${names.get(one)}`}
                onClick={() => leaveOut(kind, one)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Its answer may be under way: the panel asks without it first. */
function leaveOut(kind: string, one: Data) {
  put(
    kind,
    othersOf(kind).filter((other) => other !== one),
  );
  one.close();
}

async function add(kind: string, files: File[]) {
  const now = open.value;
  if (!now) return;
  // what is called after an open file is no model of another one
  const named = now.files.some(({ name }) => name === now.options.model);
  const options = named ? { ...now.options, model: undefined } : now.options;
  for (const file of files) {
    try {
      const other = await withLine(`Opening ${file.name}`, (watching) =>
        openFile([file], { ...options, ...watching, beside: true }),
      );
      names.set(other, file.name);
      if (open.value?.data === now.data) put(kind, [...(others.value.by[kind] ?? []), other]);
      else other.close();
    } catch (error) {
      showError(error);
    }
  }
}
