// Where: the map, small.

import { MapFigure } from '../explore/map.js';
import { space } from '../state/space.js';
import { goTo } from '../state/store.js';

/** The map is drawn no wider, in CSS pixels. */
const WIDEST = 420;

export function Where({ whom }: { whom: wasm_bindgen.Whom[] | null }) {
  const where = space.value;
  const [first] = whom ?? [];
  if (!where) return null;
  const { features, gamma } = where;
  return (
    <section class="finding-part where" aria-labelledby="part-where">
      <p class="kicker">Where</p>
      <h2 id="part-where">{first ? `${first.description}, on the map` : 'The map of local error'}</h2>
      <MapFigure name="where" question={{ features, gamma, bin: 'each' }} widest={WIDEST} untitled />
      <p>
        <button type="button" class="link" onClick={() => goTo('explore')}>
          Explore the map
        </button>
      </p>
    </section>
  );
}
