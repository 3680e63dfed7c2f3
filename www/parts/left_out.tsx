// What a link or a session asks for that cannot be had: said where a person looks, until it is dismissed.

import { leftOut } from '../state/store.js';
import { Worded } from './worded.js';
import { counted } from './words.js';

/** More than these are folded. */
const FEW = 3;

export function LeftOut() {
  const said = leftOut.value;
  if (said.length === 0) return null;
  const list = (
    <ul>
      {said.map((text, i) => (
        <li key={i}>
          <Worded>{text}</Worded>
        </li>
      ))}
    </ul>
  );
  return (
    <div id="left-out" role="status">
      {said.length > FEW ? (
        <details>
          <summary>{counted(said.length, 'setting')} could not be applied</summary>
          {list}
        </details>
      ) : (
        <>
          <p>
            {said.length === 1 ? 'A setting could not be applied:' : `${said.length} settings could not be applied:`}
          </p>
          {list}
        </>
      )}
      <button type="button" class="quiet" onClick={() => (leftOut.value = [])}>
        Dismiss
      </button>
    </div>
  );
}
