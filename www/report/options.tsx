// What is in the document: its title, its parts in their order, remarks, and the smallest count that is shown.

import { useRef, useState } from 'preact/hooks';
import { boundsOf } from '../parts/catalogue.js';
import { NumberField } from '../parts/form.js';
import { history, set } from '../state/store.js';
import { leftOutOf, parts, sections, settings, type } from './sections.js';

/** Writing in a field is one step to go back, which begins with its first letter. */
function useWriting(put: (text: string) => void) {
  const begun = useRef(false);
  return {
    onFocus: () => {
      begun.current = false;
    },
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      if (!begun.current) history.record();
      begun.current = true;
      put(currentTarget.value);
    },
  };
}

export function Options() {
  const { suppress, title = '' } = settings();
  const writing = useWriting((title) => type({ title }));
  return (
    <div class="options">
      <label class="field">
        <span>Title</span>
        <input type="text" name="title" placeholder="automatic" value={title} {...writing} />
      </label>
      <NumberField
        name="suppress"
        label="Suppress counts below"
        placeholder="none"
        value={suppress ?? null}
        bounds={boundsOf('report', 'suppress')}
        put={(least) => set('report', 'suppress', least)}
      />
      {leftOutOf().map((text) => (
        <p key={text} class="muted">
          {text}
        </p>
      ))}
      <details>
        <summary>Sections and remarks</summary>
        <ol class="sections">
          {[...sections(), ...parts().flatMap(({ id }) => (sections().includes(id) ? [] : [id]))].map((id) => (
            <Section key={id} id={id} />
          ))}
        </ol>
      </details>
    </div>
  );
}

function Section({ id }: { id: string }) {
  const now = sections();
  const place = now.indexOf(id);
  const name = parts().find((one) => one.id === id)?.heading ?? id;
  const put = (order: string[]) => set('report', 'sections', order);
  const move = (by: number) => () => {
    const others = now.filter((one) => one !== id);
    put([...others.slice(0, place + by), id, ...others.slice(place + by)]);
  };
  return (
    <li>
      <span class="row">
        <label class="check">
          <input
            type="checkbox"
            name={`section ${id}`}
            checked={place >= 0}
            onChange={() => put(place < 0 ? [...now, id] : now.filter((one) => one !== id))}
          />{' '}
          {name}
        </label>
        <button type="button" class="quiet" aria-label={`${name} up`} disabled={place < 1} onClick={move(-1)}>
          ↑
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`${name} down`}
          disabled={place < 0 || place === now.length - 1}
          onClick={move(1)}
        >
          ↓
        </button>
      </span>
      {place >= 0 && <Remark id={id} name={name} />}
    </li>
  );
}

function Remark({ id, name }: { id: string; name: string }) {
  const { remarks = {} } = settings();
  // it stays open while its last letter is taken away
  const [shown, setShown] = useState(Boolean(remarks[id]));
  const writing = useWriting((text) => type({ remarks: { ...settings().remarks, [id]: text } }));
  return (
    <details open={shown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary class="muted">Remark</summary>
      <textarea
        name={`remark ${id}`}
        aria-label={`Remark on ${name}`}
        rows={3}
        value={remarks[id] ?? ''}
        {...writing}
      />
    </details>
  );
}
