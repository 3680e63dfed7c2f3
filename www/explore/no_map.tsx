// Why there is no map yet, and what makes one.

import { descriptionOf } from '../parts/catalogue.js';
import { Lacking, lacking } from '../parts/panel.js';
import { makeWanted, onItsWay } from '../state/space.js';

export function NoMap() {
  const lack = lacking(descriptionOf('neighbourhoods'));
  if (lack) return <Lacking why={lack} />;
  if (onItsWay.value) return <p class="pending">Computing the map …</p>;
  return (
    <div class="lacking">
      <p>The map has not been computed.</p>
      <p>
        <button type="button" class="quiet" onClick={makeWanted}>
          Compute map
        </button>
      </p>
    </div>
  );
}
