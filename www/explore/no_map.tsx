// Why there is no map yet, and what makes one.

import { descriptionOf } from '../parts/catalogue.js';
import { Lacking, lacking } from '../parts/panel.js';
import { makeWanted, onItsWay } from '../state/space.js';

export function NoMap() {
  const lack = lacking(descriptionOf('neighbourhoods'));
  if (lack) return <Lacking why={lack} />;
  if (onItsWay.value) return <p class="pending">The map is on its way …</p>;
  return (
    <div class="lacking">
      <p>The map was not made.</p>
      <p>
        <button type="button" class="quiet" onClick={makeWanted}>
          Make the map
        </button>
      </p>
    </div>
  );
}
