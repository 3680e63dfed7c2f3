// Local error map: the map of signed local error, what is compared with what, regions, the worst neighborhoods.

import { useLayoutEffect, useState } from 'preact/hooks';
import { Figure, Row } from '../parts/figure.js';
import { ChoiceField } from '../parts/form.js';
import { Question } from '../parts/panel.js';
import { Facts } from '../parts/table.js';
import { Reading } from '../parts/worded.js';
import { chooseSimilarity, keyOf, placeOf } from '../state/similarity.js';
import { measuredOf, ways } from '../state/space.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { featuresInWords, hasGamma, kernelInWords } from '../subject/similarity_words.js';
import { open, set } from '../state/store.js';
import { MapFigure } from './map.js';
import { mapSettings } from './map_settings.js';
import { subjectMethod } from './method.js';
import { NoMap } from './no_map.js';
import { drawn } from './questions.js';
import { RegionCard } from './region.js';
import { region } from './map_window.js';
import { Sweep } from './sweep.js';
import { Worst } from './worst.js';

type ViewOutcome = wasm_bindgen.ViewOutcome;
/** Width of the charts below the map, in CSS pixels, where there is room for it. */
const COMPANION = 340;

export function MapPanel() {
  return <Question {...drawn('map')}>{mapSettings() ? <MapView /> : <NoMap />}</Question>;
}

function MapView() {
  const [view, setView] = useState<ViewOutcome | null>(null);
  const [tested, setTested] = useState<string | null>(null);
  const [sliding, setSliding] = useState<number | null>(null);
  const [beside, setBeside] = useState(false);
  const settings = mapSettings();
  const data = open.value?.data;
  useLayoutEffect(() => setSliding(null), [settings?.gamma]);
  if (!settings || !data) return null;
  const { features, kernel, gamma, within, leave_one_out, bin, axes } = settings;
  const method = subjectMethod();
  const asked = { features, bin, axes, ...(method && { method }) };
  const near = { ...asked, kernel, within };
  const others = ways(data).flatMap(([, place]) => {
    const there = measuredOf(data, place)?.features ?? (place.pca ? { pca: place.pca, of: place.of } : place.of);
    return sameFeatures(there, features) ? [] : [there];
  });
  const shown = view?.map;
  const pickBin = (index: number) => {
    const picked = shown?.bins[index]?.bin;
    if (picked !== undefined) set('map', 'bin', bin === picked ? 'each' : picked);
  };
  const companion = (i: number) => async () =>
    view?.companions[i] ? { outcome: { figure: view.companions[i] }, columns: [] } : null;
  return (
    <div class="answer">
      <Reading first>{tested ?? view?.figure.title ?? 'Local error map'}</Reading>
      <div class="pair map">
        <div class="side">
          <MapFigure
            name="map"
            widest={720}
            untitled
            question={{
              ...near,
              leave_one_out,
              gamma: sliding ?? gamma,
              draft: sliding !== null,
              companion_width: COMPANION,
            }}
            shown={setView}
          />
          <Worst question={{ ...near, gamma }} tell={setTested} />
          {region.value.rows && <RegionCard question={asked} />}
          <div class="companions">
            <Row figures={view?.companions ?? []}>
              <Figure name="cdf" of={[view]} ask={companion(0)} />
              <Figure name="bins" of={[view]} ask={companion(1)} pick={({ index }) => pickBin(index)} />
            </Row>
          </div>
        </div>
        <div class="side">
          {!region.value.rows && <RegionCard question={asked} />}
          <SimilarityLine
            kind="map"
            used={
              shown
                ? [
                    featuresInWords(shown.request.features ?? features),
                    kernelInWords(shown.kernel, shown.gamma),
                    shown.within,
                  ]
                    .filter(Boolean)
                    .join(' · ')
                : null
            }
            parts={['place', 'kernel', 'gamma', 'within', 'own']}
          />
          {shown && (
            // as asked for last, which may not be drawn yet
            <Axes
              names={shown.features}
              chosen={(axes as [number, number] | undefined) ?? shown.request.axes ?? [0, 1]}
            />
          )}
          {shown && (
            <div class="fields">
              {shown.range && (
                <Bandwidth range={shown.range} map={shown} gamma={Number(gamma)} {...{ sliding, setSliding }} />
              )}
              <RowsChoice bin={bin} bins={shown.bins} />
            </div>
          )}
          {hasGamma(kernel) && (
            <Sweep
              name="sweep"
              question={{
                methods: [method ?? 'none'],
                features: [features, ...(beside ? others : [])],
                gamma,
                kernel,
                within,
                leave_one_out,
                // curves compare rows as the map does: within their bins, or all with all
                ...(bin === 'all' && { bins: { count: 1 } }),
              }}
              take={(to) => chooseSimilarity({ gamma: to }, 'map')}
            />
          )}
          {hasGamma(kernel) && others.length > 0 && (
            <label class="check">
              <input
                type="checkbox"
                name="other maps"
                checked={beside}
                onChange={({ currentTarget }) => setBeside(currentTarget.checked)}
              />{' '}
              Show other feature spaces
            </label>
          )}
          {view && <Facts facts={view.facts} />}
          {view && view.notes.length > 0 && <p class="muted note">{view.notes.join(' ')}</p>}
        </div>
      </div>
    </div>
  );
}

/** The two features that are drawn, where there are more. */
function Axes({ names, chosen }: { names: string[]; chosen: [number, number] }) {
  if (names.length <= 2) return null;
  const put = (i: number) => (value: string) =>
    set(
      'map',
      'axes',
      chosen.map((one, j) => (j === i ? Number(value) : one)),
    );
  return (
    <div class="fields">
      {['Horizontal axis', 'Vertical axis'].map((label, i) => (
        <ChoiceField
          key={label}
          name={`axis-${i}`}
          label={label}
          value={String(chosen[i])}
          choices={names.map((name, place) => [String(place), name])}
          put={put(i)}
        />
      ))}
    </div>
  );
}

/** Which rows are compared. */
function RowsChoice({ bin, bins }: { bin: unknown; bins: NonNullable<ViewOutcome['map']>['bins'] }) {
  return (
    <ChoiceField
      name="bin"
      label="Rows"
      value={String(bin)}
      choices={[
        ['each', 'All rows, within bins'],
        ['all', 'All rows, one bin'],
        ['worst', 'Worst bin'],
        ['best', 'Best bin'],
        ...bins.map(({ bin: one, name }): [string, string] => [String(one), name]),
      ]}
      put={(value) => set('map', 'bin', Number.isInteger(Number(value)) ? Number(value) : value)}
    />
  );
}

/** Whether coordinates are the same. */
function sameFeatures(one: wasm_bindgen.FeatureChoice, other: wasm_bindgen.FeatureChoice) {
  return keyOf(placeOf(one)) === keyOf(placeOf(other));
}

/** A slider position between 0 and 1 000 is a place between two bandwidths, in ratios. */
const STEPS = 1000;

interface BandwidthProps {
  range: number[];
  map: wasm_bindgen.MapState;
  gamma: number;
  /** what the slider is moved to, until it is let go there */
  sliding: number | null;
  setSliding: (gamma: number | null) => void;
}
/** A draft follows the slider; where it is let go, that is the bandwidth. */
function Bandwidth({ range, map: { kernel, median_distance }, gamma: chosen, sliding, setSliding }: BandwidthProps) {
  const [low, high] = range;
  const gamma = sliding ?? chosen;
  const placeOf = (one: number) => (STEPS * Math.log(one / low)) / Math.log(high / low);
  const at = (place: number) => Number((low * (high / low) ** (place / STEPS)).toPrecision(3));
  const distances = kernel !== 'rbf' && `${(gamma / median_distance).toPrecision(2)} × the median distance`;
  const text = `γ = ${gamma.toPrecision(2)}${distances ? ` (${distances})` : ''}`;
  return (
    <label class="field">
      <span>Bandwidth γ</span>
      <span class="row">
        <input
          type="range"
          name="gamma"
          aria-label="Bandwidth γ"
          aria-valuetext={text}
          min={0}
          max={STEPS}
          step={1}
          value={placeOf(gamma)}
          onInput={({ currentTarget }) => {
            const place = Number(currentTarget.value);
            // who moves it back to where it was changes nothing, and no `change` comes that says so
            setSliding(place === Math.round(placeOf(chosen)) ? null : at(place));
          }}
          onChange={({ currentTarget }) => chooseSimilarity({ gamma: at(Number(currentTarget.value)) }, 'map')}
        />
        <output class="number">{text}</output>
      </span>
    </label>
  );
}
