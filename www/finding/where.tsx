// Where: the map, small, with every finding outlined that is about what the map shows.

import { useState } from 'preact/hooks';
import { MapFigure } from '../explore/map.js';
import { Named } from '../parts/figure.js';
import type { Place } from '../explore/map_window.js';
import { region } from '../explore/map_window.js';
import { mapOf } from '../state/space.js';
import { asking, goTo } from '../state/store.js';

type ReportedSubgroup = wasm_bindgen.ReportedSubgroup;
type MapState = wasm_bindgen.MapState;
type ViewOutcome = wasm_bindgen.ViewOutcome;

/** The map is drawn no wider, in CSS pixels. */
const WIDEST = 420;

/** `sought`: the sentence is there; the map does not take its time from it. */
export function Where({ whom, sought }: { whom: ReportedSubgroup[] | null; sought: boolean }) {
  const where = mapOf();
  const [shown, setShown] = useState<ViewOutcome | null>(null);
  const map = shown?.map;
  const found = whom?.flatMap((one) => (map ? outlineOf(one, map) : [])) ?? [];
  if (!where) return null;
  // too few rows lie near each other: axes without anything between them tell nothing
  const empty = shown !== null && shown.figure.table.rows.length === 0;
  return (
    <section class={`finding-part where ${empty ? 'void' : ''}`} aria-labelledby="part-where">
      <h2 id="part-where">Map</h2>
      {found.length > 0 && <p>Outlined: {found.map(({ description }) => description).join('; ')}</p>}
      {empty && <p>{shown.figure.title}</p>}
      <Named.Provider value="Map">
        <MapFigure
          name="where"
          question={sought ? { ...where, bin: 'each' } : null}
          widest={WIDEST}
          shown={setShown}
          outlines={found.map(({ corners }) => corners)}
          untitled
        />
      </Named.Provider>
      <p>
        <button type="button" class="link" onClick={() => explore(found[0]?.corners ?? [])}>
          Open in Explore
        </button>
      </p>
    </section>
  );
}

/** What was found first is the region to begin with, where a person drew none. */
function explore(corners: Place[]) {
  if (region.peek().corners.length === 0) region.value = { corners };
  asking.value = 'map';
  goTo('explore');
}

/** The corners of a finding on a map, where each of its conditions is an interval of a drawn axis. */
function outlineOf({ description, conditions, place }: ReportedSubgroup, { features, request, whole }: MapState) {
  const [left, right, low, high] = whole;
  const drawn = (request.axes ?? [0, 1]).map((axis) => features[axis]);
  if (place) {
    const [across, up] = drawn.map((name) => place.features.indexOf(name));
    if (across < 0 || up < 0 || place.outline.length === 0) return [];
    return [{ description, corners: place.outline.map((corner): Place => [corner[across], corner[up]]) }];
  }
  const ends = (column: string, least: number, most: number): [number, number] => {
    const { from, below } = conditions.find((one) => one.column === column) ?? {};
    return [Number(from ?? least), below ?? most];
  };
  if (!conditions.every(({ column, from, below }) => drawn.includes(column) && (from ?? below) != null)) return [];
  const [x0, x1] = ends(drawn[0], left, right);
  const [y0, y1] = ends(drawn[1], low, high);
  const corners: Place[] = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
  return [{ description, corners }];
}
