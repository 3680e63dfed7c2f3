// What a person waits for, measured in the built page from disk: one Markdown table, medians of five.
// Rows of one worker speak to a worker of the page's own text and core, one message at a time; the rest is the page.
// `node tests/browser/bench.mjs [PART OF A NAME] [--page FILE] [--json FILE]`; another page than the built one may be older:
// what it cannot do is told, and the rest measured.

import { cpus } from 'node:os';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { binaryCsv, built, launching, random } from './launch.mjs';
import { worker } from './bench_worker.mjs';

/** @typedef {import('playwright-core').Page} Page */

const TIMES = 5;
const words = process.argv.slice(2);
/** What stands behind an option. @param {string} name */
const option = (name) => (words.includes(name) ? (words.splice(words.indexOf(name), 2)[1] ?? '') : '');
const jsonFile = option('--json');
const file = option('--page') || built;
const only = words[0] ?? '';
const address = pathToFileURL(file).href;
/** @type {{ what: string, budget: number | null, median: number, low: number, high: number }[]} */
const numbers = [];
const browser = await chromium.launch(launching);
const cores = cpus();

console.log(`${cores.length} cores, ${cores[0]?.model ?? 'unknown processor'}, Chromium ${browser.version()}\n`);
console.log('| what | budget | median of 5 | min–max |\n|---|---:|---:|---:|');

/** @param {string} what @param {string} budget @param {string} value @param {string} spread */
const line = (what, budget, value, spread = '') => console.log(`| ${what} | ${budget} | ${value} | ${spread} |`);
const ms = (/** @type {number} */ time) => `${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;

/** @param {string} what @param {number | null} budget in milliseconds @param {number[]} times */
function row(what, budget, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1];
  numbers.push({ what, budget, median, low: sorted[0], high: sorted[sorted.length - 1] });
  const over = budget !== null && median > budget ? ' **over**' : '';
  line(
    what,
    budget === null ? '' : `≤ ${budget} ms`,
    `${ms(median)}${over}`,
    `${ms(sorted[0])}–${ms(sorted[sorted.length - 1])}`,
  );
}

/** A measurement; a page that cannot take part in it is told. @param {string} what @param {() => Promise<void>} body */
async function tried(what, body) {
  try {
    await body();
  } catch (error) {
    if (file === built) throw error;
    line(what, '', 'not measured', String(error).split('\n')[0].replaceAll('|', '/'));
  }
}

/**
 * Notes when the page is usable and which module it gives its workers, and lets a body wait for what it shows. Runs in
 * the page before its own scripts.
 */
function clock() {
  const page = /** @type {any} */ (globalThis);
  /** Resolves in the frame after `there` holds. @param {() => unknown} there @returns {Promise<number>} */
  page.shown = (there) =>
    new Promise((resolve) => {
      const done = () => requestAnimationFrame(() => resolve(performance.now()));
      if (there()) return void done();
      const look = new MutationObserver(() => {
        if (!there()) return;
        look.disconnect();
        done();
      });
      look.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    });
  const { postMessage } = Worker.prototype;
  /** Resolves when the page has answered what it asks of a run by itself, and nothing followed for a while. */
  page.rested = async () => {
    const busy = () => document.querySelector('[aria-busy="true"], .stale, #lines li') !== null;
    for (let quiet = 0; quiet < 10; quiet = busy() ? 0 : quiet + 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  page.coreModule = new Promise((resolve) => {
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ ...rest) {
      if (message?.kind === 'boot') resolve(message.module);
      return postMessage.call(this, message, ...rest);
    };
  });
  page.usableAt = new Promise((resolve) => {
    const look = new MutationObserver(() => {
      if (!document.documentElement?.classList.contains('ready')) return;
      look.disconnect();
      resolve(performance.now());
    });
    look.observe(document, { childList: true, subtree: true, attributes: true });
  });
}

/** A fresh page, ready to be used. @param {string} [hash] @returns {Promise<Page>} */
async function opened(hash = '') {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.addInitScript({
    content: `globalThis.random = ${random}; globalThis.binaryCsv = ${binaryCsv}; globalThis.benchWorker = ${worker}; (${clock})();`,
  });
  await page.goto(address + hash, { waitUntil: 'commit' });
  await page.waitForFunction(() => 'localcal' in window);
  await page.evaluate(() => localcal.ready);
  return page;
}

/**
 * Times of `body` in fresh pages. @param {string} what @param {number} budget @param {(page: Page) => Promise<number>}
 * body @param {string} [hash]
 */
async function fresh(what, budget, body, hash) {
  if (!what.includes(only)) return;
  await tried(what, async () => {
    const times = [];
    for (let i = 0; i < TIMES; i += 1) {
      const page = await opened(hash);
      times.push(await body(page));
      await page.context().close();
    }
    row(what, budget, times);
  });
}

/** The most resident memory in MB that a tab's process has while `work` goes on; null where the system does not tell.
 * @template T @param {Promise<T>} work @returns {Promise<[T, number | null]>} */
async function peakMemory(work) {
  if (!existsSync('/proc/self/status')) return [await work, null];
  const read = (/** @type {string} */ pid, /** @type {string} */ name) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      return '';
    } // it ended meanwhile
  };
  let peak = 0;
  const look = setInterval(() => {
    const tabs = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && read(pid, 'cmdline').includes('--type=renderer'),
    );
    for (const pid of tabs)
      peak = Math.max(peak, Number(/^VmRSS:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1000);
  }, 100);
  try {
    return [await work, peak];
  } finally {
    clearInterval(look);
  }
}

/**
 * Times that one page takes itself, warm. @param {string} what @param {(page: Page, what: string) => Promise<void>}
 * body @param {string} [hash]
 */
async function within(what, body, hash) {
  if (!what.includes(only)) return;
  await tried(what, async () => {
    const page = await opened(hash);
    await body(page, what);
    await page.context().close();
  });
}

line('single file, gzip', '≤ 2000 kB', `${(gzipSync(readFileSync(file), { level: 9 }).length / 1000).toFixed(0)} kB`);

await fresh('page usable after opening', 300, (page) => page.evaluate(() => usableAt));

await fresh('built-in example (569 rows) to scorecard, diagram and map', 1000, (page) =>
  page.evaluate(async () => {
    const find = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (document.querySelector(selector));
    const start = performance.now();
    find('[data-sample="breast_cancer.csv"]')?.click();
    await shown(() => find('#overview-scorecard table') && find('#overview-diagram .twin table'));
    find('#steps a[href="#step=where"]')?.click();
    return (await shown(() => find('#where-map .twin table'))) - start;
  }),
);

await fresh('CSV, 1,000,000 rows × 4 columns (27 MB), to validated data', 800, (page) =>
  page.evaluate(async () => {
    const bytes = new TextEncoder().encode(binaryCsv(1_000_000));
    const start = performance.now();
    await localcal.open([{ name: 'million.csv', bytes }]);
    return performance.now() - start;
  }),
);

await fresh(
  'scorecard with floors and intervals (200 replicates), 1,000,000 binary rows, two workers',
  1500,
  (page) =>
    page.evaluate(async () => {
      const data = await localcal.open([
        { name: 'million.csv', bytes: new TextEncoder().encode(binaryCsv(1_000_000)) },
      ]);
      const start = performance.now();
      await data.run();
      return performance.now() - start;
    }),
  '#workers=2',
);

await fresh('cancelling a run, 100,000 rows', 250, (page) =>
  page.evaluate(async () => {
    const data = await localcal.open([{ name: 'bench.csv', bytes: new TextEncoder().encode(binaryCsv(100_000)) }]);
    const control = new AbortController();
    const run = data.run({ resamples: 100_000 }, { signal: control.signal });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const start = performance.now();
    control.abort();
    await run.catch(() => {});
    return performance.now() - start;
  }),
);

await within('slider tick to repainted map, 50,000 rows × 2', async (page, what) => {
  await page.setInputFiles('#picker', [
    { name: 'slider.csv', mimeType: 'text/csv', buffer: Buffer.from(binaryCsv(50_000)) },
  ]);
  await page.waitForSelector('#overview-scorecard table', { timeout: 120_000 });
  await page.click('#steps a[href="#step=where"]');
  await page.waitForSelector('#where-map .twin table', { state: 'attached' });
  row(
    what,
    100,
    await page.evaluate(async (count) => {
      const slider = /** @type {HTMLInputElement} */ (document.querySelector('input[name=gamma]'));
      const figure = /** @type {HTMLElement} */ (document.querySelector('#where-map figure'));
      const times = [];
      for (let i = -3; i < count; i += 1) {
        // three to warm up
        await new Promise((resolve) => setTimeout(resolve, 300));
        slider.value = String(500 + 20 * i);
        const start = performance.now();
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        const end = await shown(() => !figure.classList.contains('stale'));
        if (i >= 0) times.push(end - start);
      }
      return times;
    }, TIMES),
  );
});

/**
 * @typedef {{ rows: number, d: number, bins: number, kernel?: string, engine?: string, parts?: number, times?: number
 * }} Case
 */

/** Local error of every row, by one worker that holds the data. @param {Page} page @param {Case} one */
const local = (page, one) =>
  page.evaluate(async ([{ rows, d, bins, kernel = 'laplacian', engine, times: count = 5 }]) => {
    const { ask, end } = await benchWorker();
    await ask(1, { kind: 'read', name: 'b.csv' }, [], new File([binaryCsv(rows, 1, d)], 'b.csv'));
    await ask(2, { kind: 'assemble', options: {} }, [1]);
    const features = Array.from({ length: d }, (_, i) => `x${i + 1}`);
    const request = {
      evaluate_on: 'all',
      resamples: 0,
      metrics: ['mlce'],
      local: { features, kernel, gamma: 0.05, bins, engine },
    };
    const plan = await ask(3, { kind: 'plan', request }, [2]);
    /** @type {number[]} */
    const times = Array(count).fill(0);
    for (const [place, { job, needs, label }] of plan.outcome.nodes.slice(0, -1).entries()) {
      const act = () =>
        ask(
          10 + place,
          plan.columns[job],
          needs.map((/** @type {number} */ need) => (need === 0 ? 2 : 9 + need)),
        );
      if (!label.startsWith('local error')) await act();
      else
        for (let i = count > 1 ? -3 : 0; i < count; i += 1) {
          const { ms } = await act();
          if (i >= 0) times[i] += ms; // a full bin is several jobs
        }
    }
    end();
    return times;
  }, /** @type {const} */ ([one]));

const million = 1_000_000;
/** @type {[Case, number | null][]} */
const cases = [
  [{ rows: 50_000, d: 2, bins: 15 }, 40],
  [{ rows: 50_000, d: 2, bins: 1 }, 40],
  [{ rows: million, d: 2, bins: 15 }, 1500],
  [{ rows: million, d: 2, bins: 1 }, 1500],
  [{ rows: 25_000, d: 3, bins: 1 }, 120],
  [{ rows: 1000, d: 2, bins: 1 }, null],
  [{ rows: 10_000, d: 2, bins: 1 }, null],
  [{ rows: 25_000, d: 2, bins: 1 }, null],
  [{ rows: 100_000, d: 2, bins: 1 }, null],
  [{ rows: 1000, d: 2, bins: 1, engine: 'blocks' }, null],
  [{ rows: 10_000, d: 2, bins: 1, engine: 'blocks' }, null],
  [{ rows: 1000, d: 2, bins: 1, engine: 'pairs' }, null],
  [{ rows: 10_000, d: 2, bins: 1, engine: 'pairs', times: 1 }, null],
  [{ rows: 5000, d: 50, bins: 1 }, null],
  [{ rows: 5000, d: 50, bins: 1, engine: 'pairs', times: 1 }, null],
  [{ rows: 25_000, d: 3, bins: 1, engine: 'blocks', times: 1 }, null],
];
const how = { pairs: 'local error by a plain pairwise loop', blocks: 'local error by blocked SIMD pairs', exact: '' };
for (const [one, budget] of cases) {
  const name = one.engine ? how[/** @type {'pairs' | 'blocks'} */ (one.engine)] : 'local error';
  const where = one.bins === 1 ? 'one bin' : `${one.bins} bins`;
  await within(`${name}, ${one.rows.toLocaleString('en')} rows × ${one.d}, ${where}, one worker`, async (page, what) =>
    row(what, budget, await local(page, one)),
  );
}

/**
 * The same as a run of the page's own pool: division, scoring and report included. The metrics of the scorecard count the
 * neighbors of every row, too; `ece` alone looks at no neighborhood, whatever `local` says.
 * @type {{ rows?: number, d: number, bins: number, metrics?: string[], gamma?: number, budget: number | null }[]}
 */
const pooled = [
  { d: 50, bins: 15, metrics: ['mlce', 'mean_lce'], budget: 150 },
  { d: 50, bins: 1, metrics: ['mlce', 'mean_lce'], budget: 750 },
  { d: 50, bins: 1, budget: null },
  { d: 50, bins: 1, metrics: ['ece'], budget: null },
  { d: 3, bins: 1, metrics: ['mlce', 'mean_lce'], budget: null },
  { d: 2, bins: 1, metrics: ['mlce', 'mean_lce'], budget: null },
];
for (const { d, bins, metrics, budget } of pooled) {
  const where = bins === 1 ? 'one bin' : `${bins} bins`;
  const told = metrics === undefined ? ', the scorecard' : metrics.length === 1 ? `, ${metrics[0]} alone` : '';
  await within(
    `local error, 25,000 rows × ${d}, ${where}, two workers, as a whole run${told}`,
    async (page, what) =>
      row(
        what,
        budget,
        await page.evaluate(async ({ d, bins, metrics, count }) => {
          const data = await localcal.open([
            { name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(25_000, 1, d)) },
          ]);
          const features = Array.from({ length: d }, (_, i) => `x${i + 1}`);
          const times = [];
          for (let i = -2; i < count; i += 1) {
            await rested(); // the finding of the run before would share the workers
            const start = performance.now();
            await data.run({ evaluate_on: 'all', resamples: 0, metrics, local: { features, gamma: 0.4, bins } });
            if (i >= 0) times.push(performance.now() - start);
          }
          return times;
        }, /** @type {const} */ ({ d, bins, metrics, count: TIMES })),
      ),
    '#workers=2',
  );
}

await within(
  'bandwidth sweep, 25 points × 8 methods, 25,000 rows × 2, two workers',
  async (page, what) =>
    row(
      what,
      2000,
      await page.evaluate(async (count) => {
        const data = await localcal.open([{ name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(25_000)) }]);
        const methods = ['none', 'temperature', 'platt', 'isotonic', 'histogram', 'lore', 'beta', 'bbq'];
        await data.run({ methods, resamples: 0, local: { features: ['x1', 'x2'], gamma: 0.05 } });
        const times = [];
        for (let i = -1; i < count; i += 1) {
          const start = performance.now();
          await data.analyse('sweep', {});
          if (i >= 0) times.push(performance.now() - start);
        }
        return times;
      }, TIMES),
    ),
  '#workers=2',
);

await within(
  'bandwidth sweep, 25 points, 25,000 rows × 50, 15 bins, two workers',
  async (page, what) =>
    row(
      what,
      null,
      await page.evaluate(async (count) => {
        const data = await localcal.open([
          { name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(25_000, 1, 50)) },
        ]);
        const features = Array.from({ length: 50 }, (_, i) => `x${i + 1}`);
        await data.run({ evaluate_on: 'all', resamples: 0, local: { features, gamma: 0.4 } });
        const times = [];
        for (let i = 0; i < count; i += 1) {
          const start = performance.now();
          await data.analyse('sweep', {});
          times.push(performance.now() - start);
        }
        return times;
      }, 3),
    ),
  '#workers=2',
);

/** The trust test as the page asks for it: statistic, 1,000 Bernoulli draws, what could have been caught. */
for (const [rows, budget] of [
  [3000, 200],
  [10_000, 700],
  [50_000, 15_000],
]) {
  await within(
    `trust test, 1,000 draws, ${rows.toLocaleString('en')} rows × 3, two workers`,
    async (page, what) =>
      row(
        what,
        budget,
        await page.evaluate(
          async ([rows, count]) => {
            const data = await localcal.open([
              { name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(rows, 1, 3)) },
            ]);
            await data.run({ evaluate_on: 'all', resamples: 0 });
            const times = [];
            for (let i = -1; i < count; i += 1) {
              const start = performance.now();
              await data.analyse('klce', { nulls: ['bernoulli'], features: ['x1', 'x2', 'x3'] });
              if (i >= 0) times.push(performance.now() - start);
            }
            return times;
          },
          /** @type {const} */ ([rows, rows > 20_000 ? 1 : TIMES]),
        ),
      ),
    '#workers=2',
  );
}

/** The ten nearest of all rows for every row. */
for (const [d, budget] of [
  [50, 10_000],
  [2048, 120_000],
]) {
  await within(
    `proximity, 25,000 rows × ${d.toLocaleString('en')}, as a whole run, two workers`,
    async (page, what) =>
      row(
        what,
        budget,
        await page.evaluate(async (width) => {
          const rows = 25_000;
          const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${width}), }`.padEnd(117);
          const bytes = new Uint8Array(128 + rows * width * 4);
          bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
          bytes.set(new TextEncoder().encode(`${header}\n`), 10);
          const values = new Float32Array(bytes.buffer, 128);
          let state = 7;
          for (let i = 0; i < values.length; i += 1) values[i] = (state = (state * 48271) % 2147483647) / 2147483647;
          const data = await localcal.open([
            { name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(rows)) },
            { name: 'embeddings.npy', bytes },
          ]);
          const start = performance.now();
          await data.run({
            evaluate_on: 'all',
            resamples: 0,
            metrics: ['piece'],
            proximity: { features: 'embeddings' },
          });
          return [performance.now() - start];
        }, d),
      ),
    '#workers=2',
  );
}

/** Fits on one half of 25,000 rows of 1,000 logits, scores on the other. */
for (const method of ['temperature', 'ets', 'vector', 'mir']) {
  await within(
    `${method}, 25,000 rows × 1,000 logits, as a whole run, two workers`,
    async (page, what) => {
      const [times, peak] = await peakMemory(
        page.evaluate(async (method) => {
          const [rows, classes] = [25_000, 1000];
          const npy = (/** @type {string} */ type, /** @type {string} */ shape, /** @type {number} */ size) => {
            const bytes = new Uint8Array(128 + size);
            bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
            bytes.set(
              new TextEncoder().encode(
                `${`{'descr': '${type}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117)}\n`,
              ),
              10,
            );
            return bytes;
          };
          const logits = npy('<f4', `(${rows}, ${classes})`, rows * classes * 4);
          const labels = npy('<i4', `(${rows},)`, rows * 4);
          const [z, y] = [new Float32Array(logits.buffer, 128), new Int32Array(labels.buffer, 128)];
          let state = 7;
          const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
          for (let i = 0; i < z.length; i += 1) z[i] = 3 * next();
          for (let i = 0; i < rows; i += 1) {
            y[i] = i < classes ? i : Math.floor(classes * next());
            z[i * classes + (next() < 0.7 ? y[i] : Math.floor(classes * next()))] += 8;
          }
          const data = await localcal.open(
            [
              { name: 'logits.npy', bytes: logits },
              { name: 'labels.npy', bytes: labels },
            ],
            { split: { half: true } },
          );
          const start = performance.now();
          await data.run({ methods: [method], resamples: 0, metrics: ['nll'] });
          return [performance.now() - start];
        }, method),
      );
      row(what, 10_000, times);
      if (peak !== null)
        line(
          `${method}: memory of the tab meanwhile, the script's own 100 MB among it`,
          '≤ 1500 MB',
          `${peak.toFixed(0)} MB`,
        );
    },
    '#workers=2',
  );
}

/** A projection of random embeddings, by one worker that holds the data: one run, and how often it told of itself.
 * @param {Page} page @param {number} rows @param {number} width @param {object} projection */
const projected = (page, rows, width, projection) =>
  page.evaluate(async ([rows, width, projection]) => {
    const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${width}), }`.padEnd(117);
    const bytes = new Uint8Array(128 + rows * width * 4);
    bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
    bytes.set(new TextEncoder().encode(`${header}\n`), 10);
    const values = new Float32Array(bytes.buffer, 128);
    let state = 7;
    const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
    // ten clusters, and a spectrum that falls
    const centers = Float32Array.from({ length: 10 * width }, (_, at) => (4 * next()) / (1 + (at % width)) ** 0.3);
    for (let i = 0; i < rows; i += 1)
      for (let c = 0; c < width; c += 1)
        values[i * width + c] = centers[(i % 10) * width + c] + (next() + next() - 1) / (1 + c) ** 0.5;
    const { ask, end } = await benchWorker();
    await ask(1, { kind: 'read', name: 'b.csv' }, [], new File([binaryCsv(rows)], 'b.csv'));
    await ask(2, { kind: 'read', name: 'embeddings.npy' }, [], new File([bytes], 'embeddings.npy'));
    await ask(3, { kind: 'assemble', options: {} }, [1, 2]);
    const { ms } = await ask(4, { kind: 'project', projection }, [3]);
    end();
    return [ms];
  }, /** @type {const} */ ([rows, width, projection]));

for (const { rows, width, projection, budget } of [
  { rows: 25_000, width: 2048, projection: { of: ['embeddings'], pca: 50 }, budget: 20_000 },
  { rows: 10_000, width: 50, projection: { of: ['embeddings'], tsne: {} }, budget: 30_000 },
  { rows: 10_000, width: 50, projection: { of: ['embeddings'], tsne: { dimensions: 3 } }, budget: null },
  { rows: 25_000, width: 50, projection: { of: ['embeddings'], tsne: {} }, budget: 90_000 },
]) {
  const to = projection.pca ? `principal components, ${projection.pca}` : `t-SNE, ${projection.tsne?.dimensions ?? 2}`;
  await within(`${to} of ${rows.toLocaleString('en')} rows × ${width}, one worker, one run`, async (page, what) =>
    row(what, budget, await projected(page, rows, width, projection)),
  );
}

if (jsonFile)
  writeFileSync(
    jsonFile,
    JSON.stringify(
      { processor: cores[0]?.model, cores: cores.length, chromium: browser.version(), rows: numbers },
      null,
      1,
    ),
  );

await browser.close();
