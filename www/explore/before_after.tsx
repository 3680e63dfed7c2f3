// What one recalibration changes: reliability, spread of local error, and the map, before and after.

import type { ComponentChildren } from 'preact';
import type { ChartRequest } from '../engine/localcal.js';
import { methodTitle } from '../parts/catalogue.js';
import type { Room } from '../parts/brush.js';
import { Figure, Named } from '../parts/figure.js';
import { ChoiceField } from '../parts/form.js';
import { Question } from '../parts/panel.js';
import { labeled } from '../parts/words.js';
import { Reading } from '../parts/worded.js';
import { change, open, report } from '../state/store.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { featuresInWords, kernelInWords, withinInWords } from '../subject/similarity_words.js';
import { useCharts } from './chart.js';
import { useCompared } from './compared.js';
import { MapFigure } from './map.js';
import { mapSettings } from './map_settings.js';
import { subjectMethod, wasEvaluated } from './method.js';
import { NotIncluded } from './not_included.js';
import { drawn } from './questions.js';
import { RegionCard } from './region.js';
import { presentation } from './scorecard.js';

/** No picture is drawn wider, in CSS pixels. */
const WIDEST = 560;

export function BeforeAfter() {
  useCompared();
  const rows = presentation()?.repair.rows ?? [];
  const fitted = rows.filter(({ name, verdict }) => verdict !== '' && wasEvaluated(name));
  const row = fitted.find(({ name }) => name === subjectMethod()) ?? fitted[0];
  return (
    <Question {...drawn('before_after')}>
      {row && (
        <div class="answer">
          <Reading>{labeled(methodTitle(row.name), row.verdict)}</Reading>
          <div class="fields">
            <ChoiceField
              name="method"
              label="Recalibration"
              value={row.name}
              choices={fitted.map(({ name }) => [name, methodTitle(name)])}
              put={(name) => change({ repair: name })}
            />
          </div>
          <NotIncluded />
          <SimilarityLine kind="map" used={mapUsed()} parts={[]} />
          <Pictures method={row.name} />
        </div>
      )}
    </Question>
  );
}

/** By what the maps take as similar; null: there is none. */
function mapUsed(): string | null {
  const map = mapSettings();
  if (!map) return null;
  const { features, kernel, gamma, within } = map;
  return [featuresInWords(features), kernelInWords(kernel, gamma), withinInWords(within)].filter(Boolean).join(' · ');
}

function Pictures({ method }: { method: string }) {
  const local = mapSettings();
  return (
    <div class="pair">
      <Titled title="Reliability diagram, before and after">
        <Chart name="before-after" request={() => ({ chart: 'reliability', method })} of={[method]} />
      </Titled>
      {local && (
        <Titled title="Distribution of local error, before and after">
          <Chart
            name="cdf-before-after"
            request={({ dpr, dark }) => ({ chart: 'cdf', ...local, method: 'none', beside: method, dpr, dark })}
            of={[method, JSON.stringify(local)]}
          />
        </Titled>
      )}
      {local && (
        <Titled title="Local error map, before">
          <MapFigure name="map-before" widest={WIDEST} question={{ ...local, method: 'none', beside: method }} />
        </Titled>
      )}
      {local && (
        <Titled title="Local error map, after (same rows and color scale)">
          <MapFigure name="map-after" widest={WIDEST} question={{ ...local, method, beside: 'none' }} />
        </Titled>
      )}
      {local && <RegionCard question={{ features: local.features, bin: local.bin, axes: local.axes, method }} />}
    </div>
  );
}

const Titled = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="titled">
    <h3 class="muted">{title}</h3>
    <Named.Provider value={title}>{children}</Named.Provider>
  </div>
);

/** A chart of the last run. */
function Chart({ name, request, of }: { name: string; request: (room: Room) => object; of: unknown[] }) {
  const charts = useCharts();
  return (
    <Figure
      name={name}
      of={[report.value, ...of]}
      ask={async (room) => {
        const data = open.value?.data;
        const asked = { ...request(room), width: Math.min(room.width, WIDEST) } as ChartRequest;
        return data && report.value ? charts.ask(data, () => asked) : null;
      }}
    />
  );
}
