// The papers' tables, made on the page of public files, with the numbers of an independent program
// (tests/golden/make_papers.py).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ask, calm, publicFile, saved, scored, spec } from './harness.mjs';

const PANEL = '[data-sheet="experiment"]';
/** Longer than any of these experiments, in milliseconds. */
const MOST = 240_000;

/** @typedef {{ calibration: string } & Record<string, Record<string, Record<string, number>>>} Division */
/** @type {Record<string, { rows: number, divisions: Division[] }>} */
const golden = JSON.parse(readFileSync(new URL('../golden/papers.json', import.meta.url), 'utf8'));

/** Named cells of a CSV file without line breaks inside quotes. @param {string} path */
function table(path) {
  const cells = (/** @type {string} */ line) =>
    [...line.matchAll(/("[^"]*"|[^,]*)(,|$)/g)].slice(0, -1).map(([, cell]) => cell.replaceAll('"', ''));
  const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
  const names = cells(head);
  return lines.map((line) => {
    const row = cells(line);
    return (/** @type {string} */ name) => row[names.indexOf(name)];
  });
}

/** Decile scores of recidivism: what the page is given of it. */
const compas = {
  file: 'compas-scores-two-years.csv',
  header: 'p,y,f0,f1,a0,a1,a2,g',
  features: ['f0', 'f1'],
  audit: ['a0', 'a1', 'a2'],
  pca: 1,
  /** @param {string} path */
  lines: (path) =>
    table(path).map((row) => {
      const age = Number(row('age')) / 10;
      const flags = [row('sex') === 'Female', row('race') === 'African-American'].map(Number);
      const p = (Number(row('decile_score')) - 0.5) / 10;
      return [p, row('two_year_recid'), age, row('priors_count'), age, ...flags, row('race')].join();
    }),
};

/** A made score of heart failure. */
const heart = {
  file: 'heart.csv',
  header: 'p,y,f0,f1,f2,f3,f4,a0,a1,g',
  features: ['f0', 'f1', 'f2', 'f3', 'f4'],
  audit: ['a0', 'a1'],
  pca: 2,
  /** @param {string} path */
  lines(path) {
    const rows = table(path);
    const short = (/** @type {number} */ v) => Math.round(v * 1e12) / 1e12;
    const standardised = ['Age', 'RestingBP', 'Cholesterol', 'MaxHR', 'Oldpeak'].map((name) => {
      const values = rows.map((row) => Number(row(name)));
      const mean = values.reduce((a, b) => a + b, 0) / values.length;
      const sd = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
      return values.map((v) => short((v - mean) / sd));
    });
    return rows.map((row, i) => {
      const angina = Number(row('ExerciseAngina') === 'Y');
      const u = 0.05 * (Number(row('Age')) - 54) + 1.2 * angina + Number(row('Oldpeak')) - 0.6;
      const p = short(1 / (1 + Math.exp(-u)));
      const places = standardised.map((column) => column[i]);
      return [
        p,
        row('HeartDisease'),
        ...places,
        Number(row('Age')) / 10,
        Number(row('Sex') === 'F'),
        row('Sex'),
      ].join();
    });
  },
};

/** Tables of LoRe and ProCal, and the calibrators of I-trustworthy. */
const asked = {
  top_label: (/** @type {typeof heart} */ { features, pca }) => ({
    methods: [
      ...['none', 'temperature', 'mir', 'platt', 'beta', 'isotonic', 'histogram', 'bbq'],
      ...['group_temperature', 'group_histogram'].map((id) => ({ id, parameters: { groups: 'g' } })),
      { id: 'lore', name: 'lore', space: 'columns' },
      { id: 'lore', name: 'lore pca', space: 'components' },
      ...['none+density_ratio', 'temperature+density_ratio', 'histogram+bin_mean_shift', 'mir+bin_mean_shift'].map(
        (id) => ({
          id,
          space: 'columns',
        }),
      ),
    ],
    spaces: [
      { name: 'columns', features, gamma: 0.4 },
      { name: 'components', features: { pca, of: features }, gamma: 0.4 },
    ],
    metrics: [
      ...['ece', 'mce', 'mce_weighted', 'ace', 'nll', 'brier', 'group_mce_max', 'mlce', 'mean_lce'],
      ...['piece', 'piece_code', 'prr', 'reward_10'],
    ],
    bins: 5,
    groups: ['g'],
  }),
  positive: (/** @type {typeof heart} */ { audit }) => ({
    methods: [
      ...['none', 'temperature', 'platt', 'beta', 'isotonic', 'bbq'],
      { id: 'lcb', name: 'lcb', parameters: { form: 'product', gamma: 0.5 } },
    ],
    spaces: [{ name: 'covariates', features: audit, width_p: 0.1, trust_gamma: 0.5, resamples: 20 }],
    metrics: ['brier', 'ece', 'mce', 'nll', 'klce2_normalised', 'klce2_unbiased'],
    bins: 20,
  }),
};

for (const [name, rows] of Object.entries({ heart, compas }))
  for (const view of /** @type {const} */ (['top_label', 'positive']))
    spec(`tables of the papers for ${name}, ${view}, made on the page`, { most: MOST }, async ({ page }) => {
      const path = publicFile(rows.file);
      if (!path) return;
      const [division] = golden[name].divisions;
      const bits = Buffer.from(division.calibration, 'base64');
      const set = (/** @type {number} */ i) => ((bits[i >> 3] >> (i & 7)) & 1 ? 'calibration' : 'test');
      const lines = rows.lines(path).map((line, i) => `${line},${set(i)}`);
      assert.equal(lines.length, golden[name].rows);
      const roles = {
        ...Object.fromEntries([...rows.features, ...rows.audit].map((column) => [column, 'feature'])),
        ...{ g: 'group', split: 'split' },
      };
      await page.evaluate(
        async ([text, options]) => {
          await localcal.open([{ name: 'rows.csv', bytes: new TextEncoder().encode(text) }], options);
        },
        /** @type {[string, any]} */ ([`${rows.header},split\n${lines.join('\n')}\n`, { view, roles }]),
      );
      await scored(page);
      await calm(page);
      await ask(page, 'experiment');
      const json = page.locator(`${PANEL} .parts-of > div`, { has: page.locator('dt', { hasText: 'As JSON' }) });
      await json.locator('> dd > details > summary').click();
      await json.locator('textarea').fill(JSON.stringify({ title: name, ...asked[view](rows) }));
      await json.locator('textarea').blur();
      await page.locator(PANEL).getByRole('button', { name: 'Run', exact: true }).click();
      await page.locator(`${PANEL} .outcome [data-format="csv"]`).waitFor({ timeout: MOST });
      const { bytes } = await saved(page, `${PANEL} .outcome [data-format="json"]`);
      /** @type {{ cells: { method: string, space: string | null, metric: string, value: number }[] }} */
      const { cells } = JSON.parse(bytes.toString());
      let held = 0;
      for (const { method, space, metric, value } of cells) {
        const expected = division[view][method]?.[space === 'components' ? `${metric} pca` : metric];
        // the golden file holds metrics of proximity in the columns alone
        if (expected === undefined) continue;
        const allowed = metric.startsWith('reward') ? 0.5 : 1e-6;
        assert.ok(
          Math.abs(value - expected) <= allowed,
          `${method}, ${space}, ${metric}: ${value}, expected ${expected}`,
        );
        held += 1;
      }
      assert.ok(held > 35, `${held} numbers`);
    });
