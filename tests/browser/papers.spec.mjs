// The papers' tables and figures, made on the page of public files, with the numbers of an independent program
// (tests/golden/make_papers.py).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
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

/** Columns brought to mean 0 and standard deviation 1, rounded to 12 decimals; row by row. @param {number[][]} columns */
function standardized(columns) {
  const scaled = columns.map((values) => {
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const sd = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
    return values.map((v) => Math.round(((v - mean) / sd) * 1e12) / 1e12);
  });
  return columns[0].map((_, i) => scaled.map((values) => values[i]));
}

/**
 * A public file as the page is given it: `text`, columns of CSV without what divides them, or `beside`, columns that go
 * with the file itself; the names of features of each view; components.
 * @typedef {{ file: string, header: string, features: string[], audit: string[], pca: number, whole: boolean, lines:
 * (path: string) => string[] }} Rows
 */

/** Decile scores of recidivism. @type {Rows} */
const compas = {
  file: 'compas-scores-two-years.csv',
  header: 'p,y,f0,f1,a0,a1,a2,g',
  features: ['f0', 'f1'],
  audit: ['a0', 'a1', 'a2'],
  pca: 1,
  whole: false,
  lines(path) {
    const rows = table(path);
    const places = standardized(['age', 'priors_count'].map((name) => rows.map((row) => Number(row(name)))));
    return rows.map((row, i) => {
      const flags = [row('sex') === 'Female', row('race') === 'African-American'].map(Number);
      const p = (Number(row('decile_score')) - 0.5) / 10;
      return [p, row('two_year_recid'), ...places[i], Number(row('age')) / 10, ...flags, row('race')].join();
    });
  },
};

/** A made score of heart failure. @type {Rows} */
const heart = {
  file: 'heart.csv',
  header: 'p,y,f0,f1,f2,f3,f4,a0,a1,g',
  features: ['f0', 'f1', 'f2', 'f3', 'f4'],
  audit: ['a0', 'a1'],
  pca: 2,
  whole: false,
  lines(path) {
    const rows = table(path);
    const names = ['Age', 'RestingBP', 'Cholesterol', 'MaxHR', 'Oldpeak'];
    const places = standardized(names.map((name) => rows.map((row) => Number(row(name)))));
    return rows.map((row, i) => {
      const u =
        0.05 * (Number(row('Age')) - 54) + 1.2 * Number(row('ExerciseAngina') === 'Y') + Number(row('Oldpeak')) - 0.6;
      const p = Math.round(1e12 / (1 + Math.exp(-u))) / 1e12;
      const own = [Number(row('Age')) / 10, Number(row('Sex') === 'F'), row('Sex')];
      return [p, row('HeartDisease'), ...places[i], ...own].join();
    });
  },
};

/** Probabilities of ten classes of pictures: the file itself, and beside it the predicted class as a group.
 * @type {Rows} */
const cifar10 = {
  file: 'cifar10-wideresnet-16-4.npz',
  header: 'g',
  features: ['predictions'],
  audit: [],
  pca: 10,
  whole: true,
  lines(path) {
    const p = singles(path, 'predictions.npy');
    return Array.from({ length: p.length / 10 }, (_, i) => {
      const row = p.subarray(10 * i, 10 * i + 10);
      return `c${row.indexOf(Math.max(...row))}`;
    });
  },
};

/** An array in single precision of an npz file. @param {string} path @param {string} name */
function singles(path, name) {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf('PK\x05\x06');
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, long, more, said] = [20, 28, 30, 32].map((k) =>
      k === 20 ? bytes.readUInt32LE(at + k) : bytes.readUInt16LE(at + k),
    );
    if (bytes.toString('latin1', at + 46, at + 46 + long) === name) {
      const head = bytes.readUInt32LE(at + 42);
      const start = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
      const stored = bytes.subarray(start, start + packed);
      const npy = bytes.readUInt16LE(at + 10) === 0 ? stored : inflateRawSync(stored);
      const body = npy.subarray(10 + npy.readUInt16LE(8));
      return new Float32Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.length));
    }
    at += 46 + long + more + said;
  }
  throw new Error(`${path} holds no ${name}`);
}

/** Files and options by which a view of a public file is opened, divided as the golden numbers are.
 * @param {Rows} rows @param {string} path @param {string} name @param {'top_label' | 'positive'} view
 * @param {string[]} features */
function opening(rows, path, name, view, features) {
  const bits = Buffer.from(golden[name].divisions[0].calibration, 'base64');
  const set = (/** @type {number} */ i) => ((bits[i >> 3] >> (i & 7)) & 1 ? 'calibration' : 'test');
  const lines = rows.lines(path).map((line, i) => `${line},${set(i)}`);
  assert.equal(lines.length, golden[name].rows);
  const unread = [...rows.features, ...rows.audit].filter((column) => !features.includes(column));
  const roles = {
    ...(!rows.whole && Object.fromEntries(features.map((column) => [column, 'feature']))),
    ...(!rows.whole && Object.fromEntries(unread.map((column) => [column, 'ignore']))),
    ...{ g: 'group', split: 'split' },
  };
  return {
    text: `${rows.header},split\n${lines.join('\n')}\n`,
    whole: rows.whole ? { name: rows.file, base64: readFileSync(path).toString('base64') } : null,
    options: { view, roles },
  };
}

/** Opens it as a script does, beside what the page shows or to be shown; the data set is `window.opened`.
 * @param {import('playwright-core').Page} page @param {ReturnType<typeof opening>} given @param {boolean} beside */
const openIn = (page, given, beside) =>
  page.evaluate(
    async ({ text, whole, options, beside }) => {
      const files = [{ name: 'rows.csv', bytes: new TextEncoder().encode(text) }];
      if (whole)
        files.unshift({ name: whole.name, bytes: Uint8Array.from(atob(whole.base64), (c) => c.charCodeAt(0)) });
      const held = /** @type {any} */ (window);
      held.opened = await localcal.open(files, { ...options, beside });
    },
    /** @type {any} */ ({ ...given, beside }),
  );

/** Tables of LoRe and ProCal, and the calibrators of I-trustworthy. */
const asked = {
  top_label: (/** @type {Rows} */ { features, pca, whole }) => ({
    methods: [
      ...['none', 'temperature', 'mir', 'platt', 'beta', 'isotonic', 'histogram', 'bbq'],
      ...['vector', 'matrix', 'dirichlet'],
      ...['group_temperature', 'group_histogram'].map((id) => ({ id, parameters: { groups: 'g' } })),
      { id: 'lore', name: 'lore', space: 'columns' },
      { id: 'lore', name: 'lore pca', space: 'components' },
      ...['none+density_ratio', 'temperature+density_ratio', 'histogram+bin_mean_shift', 'mir+bin_mean_shift'].map(
        (id) => ({ id, space: 'near' }),
      ),
    ],
    spaces: [
      { name: 'columns', features, gamma: 0.4 },
      { name: 'components', features: { pca, of: features }, gamma: 0.4 },
      { name: 'near', ...(whole ? { features } : { project: { name: 'scaled', of: features, scale: 'standardise' } }) },
    ],
    metrics: [
      ...['ece', 'mce', 'mce_weighted', 'ace', 'nll', 'brier', 'group_mce_max', 'group_mce_max_supported'],
      ...['mlce', 'mean_lce', 'mlce_supported', 'piece', 'piece_code', 'bias_index', 'bias_z', 'prr', 'reward_10'],
    ],
    bins: features.length === 5 ? 5 : 15,
    groups: ['g'],
  }),
  positive: (/** @type {Rows} */ { audit }) => ({
    methods: [
      ...['none', 'temperature', 'platt', 'beta', 'isotonic', 'bbq'],
      { id: 'lcb', name: 'lcb', parameters: { form: 'product', gamma: 0.5 } },
    ],
    spaces: [{ name: 'covariates', features: audit, width_p: 0.1, trust_gamma: 0.5, resamples: 20 }],
    metrics: ['brier', 'ece', 'mce', 'nll', 'klce2_normalised', 'klce2_unbiased'],
    bins: 20,
  }),
};

/** How far a number may be off: single precision beyond three coordinates, and where a search ends; twice what the last
 * bits of scores move it by. @param {Division} division @param {string} method @param {string} metric @param {string} name
 * of the golden number */
function allowed(division, method, metric, name) {
  if (metric.startsWith('reward')) return 0.5;
  const searched = ['ets', 'mmce_temperature'].some((id) => method.startsWith(id)) ? 1e-5 : 2e-6;
  return (metric === 'bias_z' ? 100 : 1) * searched + 2 * (division['last bits'][method]?.[name] ?? 0);
}

/** @typedef {{ method: string, space: string | null, metric: string, value: number | null, reason: string | null, at:
 * Record<string, number | string> }} Cell */

for (const [name, rows, views] of /** @type {[string, Rows, ('top_label' | 'positive')[]][]} */ ([
  ['heart', heart, ['top_label', 'positive']],
  ['compas', compas, ['top_label', 'positive']],
  ['cifar10', cifar10, ['top_label']],
]))
  for (const view of views)
    spec(`tables of the papers for ${name}, ${view}, made on the page`, { most: MOST }, async ({ page }) => {
      const path = publicFile(rows.file);
      if (!path) return;
      await openIn(page, opening(rows, path, name, view, [...rows.features, ...rows.audit]), false);
      await scored(page);
      await calm(page, MOST);
      await ask(page, 'experiment');
      const json = page.locator(`${PANEL} .parts-of > div`, { has: page.locator('dt', { hasText: 'JSON' }) });
      await json.locator('> dd > details > summary').click();
      await json.locator('textarea').fill(JSON.stringify({ title: name, ...asked[view](rows) }));
      await json.locator('textarea').blur();
      await page.locator(PANEL).getByRole('button', { name: 'Run', exact: true }).click();
      await page.locator(`${PANEL} .outcome [data-format="csv"]`).waitFor({ timeout: MOST });
      const { bytes } = await saved(page, `${PANEL} .outcome [data-format="json"]`);
      /** @type {{ cells: Cell[] }} */
      const { cells } = JSON.parse(bytes.toString());
      let held = 0;
      for (const { method, space, metric, value, reason } of cells) {
        assert.ok(value !== null || reason, `${method}, ${metric}: nothing, and no reason`);
        const own = { columns: '', components: ' pca', covariates: '' }[space ?? 'columns'];
        const near = ['piece', 'piece_code', 'bias_index', 'bias_z'].includes(metric);
        // local error in the columns and among components, proximity in what is near
        if (near !== (space === 'near')) continue;
        const expected = golden[name].divisions[0][view][method]?.[`${metric}${own ?? ''}`];
        if (expected === undefined) continue;
        const off = Math.abs(/** @type {number} */ (value) - expected);
        assert.ok(
          off <= allowed(golden[name].divisions[0], method, metric, `${metric}${own ?? ''}`),
          `${method}, ${space}, ${metric}: ${value}, expected ${expected} ${reason}`,
        );
        held += 1;
      }
      assert.ok(held > 35, `${held} numbers`);
    });

// ------------------------------------------------------------------------------------------------------------------
// every prepared part

/** @typedef {{ id: string, name?: string, parameters?: any, space?: string }} Method */

/** Which golden numbers a cell of a part is held against: view, method and metric; null where there are none.
 * @param {string} view @param {any} asked @param {Cell} cell @param {string[]} known views of the golden file */
function goldenOf(view, asked, cell, known) {
  const method = /** @type {Method | undefined} */ (
    asked.methods
      .map((/** @type {any} */ m) => (typeof m === 'string' ? { id: m, name: m } : m))
      .find((/** @type {Method} */ m) => (m.name ?? m.id) === cell.method)
  );
  if (!method || Object.keys(cell.at ?? {}).some((setting) => setting !== 'gamma')) return null;
  if ('gamma' in (cell.at ?? {}) && Math.abs(Number(cell.at.gamma) - 0.4) > 1e-9) return null;
  const { id, parameters } = method;
  // another build's exponentials differ in the last digit, and training lets that grow
  if (id.startsWith('pts')) return null;
  const among = (/** @type {string | null | undefined} */ space) =>
    space === 'PCA' && (known.includes('turned') ? ' turned' : ' pca');
  const bins = asked.bins?.count ?? asked.bins ?? 15;
  const lore = known.includes('top_label, 15 bins') ? 5 : 15;
  if (view === 'positive') {
    const printed = asked.bins?.closed === 'right';
    const space = asked.spaces?.[0];
    const own = { platt: printed ? 'platt printed' : 'platt', lcb: printed ? 'ewf' : null }[id] ?? id;
    if (id === 'lcb' && !printed) return null;
    if (id.includes('multicalibration') || (bins !== 20 && ['ece', 'mce'].includes(cell.metric))) return null;
    const scaled = cell.metric === 'klce2_normalised' && !space?.trust_gamma ? ' standardised' : '';
    const edges = printed && ['ece', 'mce'].includes(cell.metric) ? ' printed' : '';
    return ['positive', own, `${cell.metric}${scaled}${edges}`];
  }
  if ((parameters && !('groups' in parameters)) || asked.bins?.closed === 'right' || ![15, lore].includes(bins))
    return null;
  const own = id === 'lore' ? among(method.space) && `lore${among(method.space)}` : id;
  const local = ['mlce', 'mean_lce', 'mlce_supported'].includes(cell.metric);
  const metric = local ? among(cell.space) && `${cell.metric}${among(cell.space)}` : cell.metric;
  if (!own || !metric) return null;
  const form = asked.spaces?.find((/** @type {any} */ s) => s.name === cell.space)?.form;
  if (form === 'code' && metric !== 'piece_code') return null;
  return [bins !== lore ? 'top_label, 15 bins' : 'top_label', own, form === 'code' ? `${metric} printed` : metric];
}

/** Every part of every paper at a size that a test can wait for: one division, that of the file; three values of what is
 * varied, of many rows two; t-SNE of few steps; few redraws. What each answers: cells, or how many bytes it shows.
 * @param {import('playwright-core').Page} page @param {number} rows @param {string[]} of papers @param {boolean} studies
 * whether parts that look at no file are made too */
const everyPart = (page, rows, of, studies) =>
  page.evaluate(
    async ({ rows, of, studies }) => {
      const data = /** @type {any} */ (window).opened;
      const many = rows > 2000;
      const short = (/** @type {any} */ project) =>
        project?.tsne ? { ...project, tsne: { ...project.tsne, iterations: many ? 260 : 300 } } : project;
      const few = (/** @type {any[]} */ values) =>
        values.length < (many ? 3 : 4)
          ? values
          : [values[0], ...(many ? [] : [values[Math.floor(values.length / 2)]]), values[values.length - 1]];
      const smaller = (/** @type {any} */ asked) => ({
        ...asked,
        divisions: asked.divisions?.files ? asked.divisions : {},
        vary: asked.vary?.map((/** @type {any} */ one) => ({
          ...one,
          values: one.setting === 'gamma' ? [...(many ? [] : [0.05]), 0.4, 5] : few(one.values),
        })),
        spaces: asked.spaces?.map((/** @type {any} */ space) => ({
          ...space,
          ...(space.project && { project: short(space.project) }),
          resamples: 20,
        })),
      });
      const made = new Set();
      /** @type {any[]} */
      const found = [];
      for (const paper of await data.papers())
        for (const part of paper.parts) {
          if (!of.includes(paper.id) || (!studies && part.made.analysis?.kind === 'bench')) continue;
          const one = { paper: paper.id, part: part.id, note: part.note };
          const began = performance.now();
          try {
            if ('cannot' in part.made) found.push({ ...one, cannot: part.made.cannot });
            else if ('experiment' in part.made) {
              const spec = smaller(part.made.experiment);
              const { cells, sheet } = await data.experiment(spec);
              found.push({ ...one, spec, cells, blocks: sheet?.blocks?.length ?? 0 });
            } else {
              const { before = {}, kind, chart, options } = part.made.analysis ?? part.made.chart;
              for (const map of before.project ?? []) {
                if (!made.has(map.name)) await data.project(short(map));
                made.add(map.name);
              }
              await data.run({ ...before.run, resamples: 20 });
              if (chart) {
                const blob = await data.export('chart', { chart, format: 'svg', ...options });
                found.push({ ...one, bytes: blob.size });
              } else {
                const less = {
                  sweep: { gammas: { ...options.gammas, count: 3 } },
                  correlation: options.repeats ? { repeats: 2 } : {},
                  bench: { simulations: 20 },
                };
                const answer = await data.analyse(kind, { ...options, .../** @type {any} */ (less)[kind] });
                const { columns: _, ...rest } = answer;
                found.push({ ...one, kind, bytes: JSON.stringify(rest).length });
              }
            }
          } catch (error) {
            const { code, message } = /** @type {any} */ (error);
            found.push({ ...one, fault: `${code}: ${message}` });
          }
          found.at(-1).seconds = (performance.now() - began) / 1000;
        }
      return found;
    },
    { rows, of, studies },
  );

const PAPERS = ['lore', 'procal', 'i_trustworthy'];
for (const [
  name,
  rows,
  view,
  of,
  least,
] of /** @type {[string, Rows, 'top_label' | 'positive', string[], number][]} */ ([
  ['heart', heart, 'top_label', PAPERS, 250],
  ['heart', heart, 'positive', PAPERS, 55],
  ['compas', compas, 'top_label', PAPERS, 250],
  ['compas', compas, 'positive', ['i_trustworthy'], 45],
  ['cifar10', cifar10, 'top_label', PAPERS, 250],
]))
  spec(`every part of the three papers for ${name}, ${view}`, { most: MOST }, async ({ page }) => {
    const path = publicFile(rows.file);
    if (!path) return;
    const features = view === 'positive' ? rows.audit : rows.features;
    await openIn(page, opening(rows, path, name, view, features), true);
    const studies = rows === heart && view === 'top_label';
    const found = await everyPart(page, golden[name].rows, of, studies);
    const division = golden[name].divisions[0];
    const known = [...Object.keys(division), ...('lore turned' in division.top_label ? ['turned'] : [])];
    const wrong = [];
    let held = 0;
    for (const { paper, part, fault, cannot, cells, spec: asked, bytes, blocks, seconds } of found) {
      const at = `${paper}, ${part}`;
      if (process.env.LOCALCAL_TIMES) console.log(`${at}: ${seconds.toFixed(1)} s`);
      if (fault) wrong.push(`${at}: ${fault}`);
      else if (cannot !== undefined && cannot.length < 30) wrong.push(`${at}: cannot, and does not say why`);
      else if (bytes !== undefined && bytes < 200) wrong.push(`${at}: ${bytes} bytes`);
      if (!cells) continue;
      if (cells.length === 0 || blocks === 0) wrong.push(`${at}: ${cells.length} cells, ${blocks} blocks`);
      for (const cell of /** @type {Cell[]} */ (cells)) {
        const { method, metric, space, value, reason } = cell;
        if (value === null && !reason) wrong.push(`${at}: ${method}, ${metric}: nothing, and no reason`);
        const place = goldenOf(view, asked, cell, known);
        const expected = place && division[place[0]]?.[place[1]]?.[place[2]];
        if (!place || expected === undefined || expected === null) continue;
        held += 1;
        const off = value === null ? Infinity : Math.abs(value - expected);
        if (off > allowed(division, place[1], metric, place[2]))
          wrong.push(`${at}: ${method}, ${space}, ${metric}: ${value}, expected ${expected} ${reason ?? ''}`);
      }
    }
    assert.ok(wrong.length === 0, `${wrong.length} of ${held}:\n${wrong.slice(0, 60).join('\n')}`);
    assert.ok(held >= least, `${held} numbers`);
    console.log(`${name}, ${view}: ${found.length} parts, ${held} numbers`);
  });
