// Feature maps: computed with a picture that moves, used by name, cancelled, exported.

import assert from 'node:assert/strict';
import { npy, npz, threeClasses } from './files.mjs';
import { ask, spec, specFromDisk } from './harness.mjs';

/**
 * Rows with an array `embeddings`: three clusters in eight dimensions, which the label follows. @param {number} rows
 */
function withEmbeddings(rows) {
  const { probs, labels } = threeClasses(rows);
  let state = 11;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const embeddings = Float32Array.from({ length: rows * 8 }, (_, at) => (at % 8 === labels[at >> 3] ? 6 : 0) + next());
  return npz({ probs: npy(probs, [rows, 3]), labels: npy(labels, [rows]), embeddings: npy(embeddings, [rows, 8]) });
}

specFromDisk(
  'a t-SNE moves while it runs, has a name, and can be cancelled',
  { hash: '#workers=2' },
  async ({ page }) => {
    const seen = await page.evaluate(
      async (held) => {
        const data = await localcal.open([{ name: 'made.npz', bytes: Uint8Array.from(held) }]);
        /** @type {import('../../www/engine/pool.js').Progress[]} */
        const told = [];
        const map = await data.project(
          { of: ['embeddings'], pca: 5, tsne: { perplexity: 12, iterations: 200 } },
          { onProgress: (one) => told.push(one) },
        );
        const pictures = told.flatMap(({ picture }) => (picture ? [picture] : []));
        const report = await data.run({
          resamples: 0,
          methods: ['none', 'lore'],
          local: { features: map.name, gamma: (map.median_distance ?? 0) / 5 },
        });
        const csv = await (await data.export('coordinates', { name: map.name })).text();

        const control = new AbortController();
        let late = 0;
        const second = data.project(
          { of: ['embeddings'], tsne: { iterations: 100_000 } },
          {
            signal: control.signal,
            onProgress({ picture }) {
              if (control.signal.aborted) late += 1;
              if (picture) control.abort();
            },
          },
        );
        const code = await second.then(
          () => 'finished',
          (error) => error.code,
        );
        const again = await data.project({ of: ['embeddings'], pca: 2 });
        const taken = await data.project({ pca: 2, name: again.name }).then(
          () => 'finished',
          (error) => error.code,
        );
        const both = await data.run({ resamples: 0, local: { features: [map.name, again.name], gamma: 1 } });
        data.close();
        const closed = await data.project({ pca: 2 }).then(
          () => 'finished',
          (error) => error.code,
        );
        return {
          map,
          code,
          late,
          taken,
          closed,
          again: again.name,
          rows: report.local?.slce.length,
          finite: report.local?.slce.every(Number.isFinite),
          lore: report.methods[1].metrics.ece.value,
          both: both.local?.slce.length,
          csv: csv.split('\n').slice(0, 2),
          shares: told.map(({ done }) => done),
          picture: pictures[0]?.kind,
          length: pictures[0]?.x.length,
          moved: pictures[0]?.x[0] !== pictures.at(-1)?.x[0],
        };
      },
      [...withEmbeddings(300)],
    );
    assert.equal(seen.map.name, 't-SNE of embeddings');
    assert.equal(seen.map.coordinates, 2);
    assert.deepEqual(seen.map.names, ['t-SNE of embeddings[1]', 't-SNE of embeddings[2]']);
    assert.match(
      seen.map.text,
      /^t-SNE of 5 principal components of embeddings \(8 columns\), fitted on all 300 rows, [\d.]+% of the variance; perplexity 12, seed 0, 200 iterations/,
    );
    assert.ok((seen.map.median_distance ?? 0) > 0 && (seen.map.variance_share ?? 0) > 0.5);
    assert.deepEqual(
      [...seen.shares].sort((a, b) => a - b),
      seen.shares,
      'progress only rises',
    );
    assert.equal(seen.shares.at(-1), 1);
    assert.deepEqual([seen.picture, seen.length, seen.moved], ['embedding', 300, true]);
    assert.deepEqual([seen.rows, seen.both, seen.finite], [300, 300, true]);
    assert.ok(Number.isFinite(seen.lore));
    assert.equal(seen.csv[0], 'row,t-SNE of embeddings[1],t-SNE of embeddings[2]');
    assert.match(seen.csv[1], /^1,-?[\d.]+,-?[\d.]+$/);
    assert.deepEqual(
      [seen.code, seen.late, seen.taken, seen.closed, seen.again],
      ['cancelled', 0, 'invalid_option', 'closed', 'pca 2 of embeddings'],
    );
  },
);

spec('maps that are requested at once have names of their own', {}, async ({ page }) => {
  const names = await page.evaluate(
    async (held) => {
      const data = await localcal.open([{ name: 'made.npz', bytes: Uint8Array.from(held) }]);
      const made = [0, 1].map((seed) => data.project({ of: ['embeddings'], tsne: { iterations: 100, seed } }));
      return (await Promise.all(made)).map(({ name }) => name);
    },
    [...withEmbeddings(300)],
  );
  assert.deepEqual(names, ['t-SNE of embeddings', 't-SNE of embeddings (2)']);
});

spec('a wide array gets its components after the file is open, and then a map', {}, async ({ page }) => {
  const rows = 3000;
  const { probs, labels } = threeClasses(rows);
  let state = 5;
  const wide = Float32Array.from({ length: rows * 400 }, () => (state = (state * 48271) % 2147483647) / 2147483647);
  const buffer = npz({ probs: npy(probs, [rows, 3]), labels: npy(labels, [rows]), embeddings: npy(wide, [rows, 400]) });
  await page.setInputFiles('#picker', { name: 'wide.npz', mimeType: 'application/zip', buffer });
  await ask(page, 'map');
  await page.waitForSelector('[data-sheet="map"] .twin table', { state: 'attached' });
  assert.match(
    await page.innerText('[data-sheet="map"] .used'),
    /^Similarity: 2 components of embeddings · Laplacian, γ = [\d.]+\.$/,
  );
});
