// Who is alike: chosen once in the subject, used by everything that looks at near rows; a panel that differs says so.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npy, npz, threeClasses } from './files.mjs';
import { ask, binaryCsv, calm, drawn, dropFiles, found, goTo, pick, saved, spec } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

const PART = '#subject .part[title^="Similarity"]';
/** What the subject says. @param {Page} page */
const says = async (page) => (await page.getAttribute(PART, 'title'))?.replace('Similarity: ', '');
/** Waits until the subject says something. @param {Page} page @param {RegExp} text */
const until = (page, text) =>
  page.waitForFunction(
    ([at, source]) => new RegExp(source).test(document.querySelector(at)?.getAttribute('title') ?? ''),
    [PART, text.source],
  );
/** Opens the picker. @param {Page} page */
async function open(page) {
  await page.click(PART);
  await page.waitForSelector('select[name="alike-way"]');
}
/** @param {Page} page */
async function close(page) {
  await page.keyboard.press('Escape');
  await calm(page);
}
/** Closes the picker where it is open: Esc would end what is running. @param {Page} page */
async function shut(page) {
  if (await page.locator('#subject .choices:not([hidden])').count()) await page.click(PART);
}
/** What a panel says it used. @param {Page} page @param {string} kind */
async function used(page, kind) {
  await ask(page, kind);
  await page.waitForSelector(`[data-sheet="${kind}"] .used`);
  await calm(page);
  return page.innerText(`[data-sheet="${kind}"] .used`);
}

/** Three numbers, of which two are on another scale, and a text. @param {number} rows */
function table(rows) {
  let state = 7;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const lines = Array.from({ length: rows }, () => {
    const [p, age, dose, priors] = [next(), 20 + 60 * next(), next(), 9 * next()];
    return `${p.toFixed(4)},${next() < p ? 1 : 0},${age.toFixed(1)},${dose.toFixed(3)},${priors.toFixed(2)},${next() < 0.4 ? 'north' : 'south'}`;
  });
  return `risk,died,age,dose,priors,site\n${lines.join('\n')}\n`;
}
/** @param {Page} page */
async function clinic(page) {
  await pick(page, [{ name: 'clinic.csv', bytes: Buffer.from(table(600)) }]);
  await found(page);
}

spec('chosen once, it is what every panel used, and what a script gets', { most: 180_000 }, async ({ page }) => {
  await clinic(page);
  assert.match((await says(page)) ?? '', /^2 components of age, dose and priors · Laplacian, γ = [\d.]+$/);
  await open(page);
  await page.selectOption('select[name="alike-scale"]', 'standardise');
  await until(page, /standardized/);
  await page.fill('input[name="alike-pca"]', '');
  await page.keyboard.press('Tab');
  await until(page, /: age, dose and priors, standardized/);
  await page.uncheck('input[name="alike-of"][value="dose"]');
  await until(page, /: age and priors, standardized/);
  await page.fill('input[name="alike-neighbours"]', '17');
  await page.fill('input[name="alike-bins"]', '8');
  await page.fill('input[name="alike-width_p"]', '0.2');
  await page.keyboard.press('Tab');
  await page.selectOption('select[name="alike-kernel"]', 'rbf');
  await page.fill('input[name="alike-gamma"]', '0.3');
  await page.keyboard.press('Tab');
  await until(page, /RBF, γ = 0\.3$/);
  await close(page);
  const place = 'age and priors, standardized';
  assert.equal(await used(page, 'scorecard'), `Similarity: ${place} · RBF, γ = 0.3 · 8 confidence bins.`);
  assert.equal(await used(page, 'sweep'), `Similarity: ${place} · RBF, γ = 0.3.`);
  assert.equal(await used(page, 'map'), `Similarity: ${place} · RBF, γ = 0.3.`);
  assert.equal(await page.locator('[data-sheet="map"] .always').count(), 0);
  assert.equal(await used(page, 'klce'), `Similarity: ${place} · RBF, γ = 0.3 · score bandwidth 0.2.`);
  const headline = await page.innerText('[data-sheet="klce"] .reading');
  assert.equal(await used(page, 'witness'), `Similarity: ${place} · RBF, γ = 0.3 · score bandwidth 0.2.`);
  assert.equal(await used(page, 'bias_plot'), `Similarity: ${place} · RBF, γ = 0.3.`);
  assert.equal(await used(page, 'proximity'), `Similarity: ${place} · K = 17 · Euclidean.`);
  await ask(page, 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  const both = `${place} · own bandwidth (Ridge LoRe); ${place} · RBF, γ = 0.3 · 8 confidence bins (LoRe)`;
  assert.equal(await used(page, 'repair'), `Similarity: ${both}.`);
  assert.equal(await page.locator('.differs').count(), 0);
  // the trust test is that of a script with the same settings
  const asked = await page.evaluate(async (text) => {
    const bytes = new TextEncoder().encode(text);
    const data = await localcal.open([{ name: 'clinic.csv', bytes }], { beside: true });
    const { name } = await data.project({ of: ['age', 'priors'], scale: 'standardise' });
    await data.run({
      methods: ['none', 'temperature', 'platt', 'isotonic', 'histogram', 'lore'],
      local: { features: name },
    });
    const { sheet } = await data.analyse('klce', { methods: ['none'], features: name, gamma: 0.3, width_p: 0.2 });
    return sheet?.blocks.flatMap((block) => ('reading' in block ? [block.reading] : []))[0];
  }, table(600));
  assert.equal(headline, asked);
});

spec(
  'neighbours of the same value alone, in the subject, a panel, a link and a script',
  { most: 180_000 },
  async ({ page }) => {
    await clinic(page);
    const before = await says(page);
    await open(page);
    const offered = page.locator('select[name="alike-within"] option');
    assert.deepEqual(await offered.allInnerTexts(), ['All rows', 'the same site']);
    await page.selectOption('select[name="alike-within"]', 'site');
    await until(page, / · the same site$/);
    await close(page);
    assert.match(await used(page, 'map'), / · with rows of the same site\.$/);
    assert.match(
      await page.innerText('[data-sheet="map"]'),
      /Rows are compared within their confidence bin \(15 bins\), with rows of the same site\./,
    );
    assert.match(await used(page, 'scorecard'), / · neighbors from the same site\.$/);
    const shown = await page.evaluate(async (text) => {
      const bytes = new TextEncoder().encode(text);
      const data = await localcal.open([{ name: 'clinic.csv', bytes }], { beside: true });
      const local = { features: { pca: 2, of: ['age', 'dose', 'priors'] }, within: 'site' };
      const { methods } = await data.run({ metrics: ['mean_lce'], resamples: 0, local });
      const refused = await data.run({ local: { ...local, within: 'died' } }).catch((error) => error.code);
      return { value: methods[0].metrics.mean_lce.value, refused };
    }, table(600));
    assert.ok(Number(shown.value) > 0 && shown.refused === 'invalid_option', JSON.stringify(shown));
    await used(page, 'proximity');
    assert.match(
      await page.innerText('[data-sheet="proximity"] .always'),
      /Neighbors are taken from all rows here; in the subject line, from the same site/,
    );
    // a column is a place in the link
    assert.match(decodeURIComponent(page.url()), /"within":"~\d+"/);
    // a panel can have all rows
    await used(page, 'map');
    await page.click('[data-sheet="map"] .alike summary');
    await page.selectOption('select[name="map-within"]', 'all');
    const differs = page.locator('[data-sheet="map"] .differs');
    await differs.waitFor();
    assert.match(await differs.innerText(), /neighbors from all rows in this panel, the same site in the subject line/);
    await page.click('button:has-text("Undo")');
    await differs.waitFor({ state: 'detached' });
    await page.click('button:has-text("Undo")');
    await page.waitForFunction(
      ([at, text]) => document.querySelector(at)?.getAttribute('title') === text,
      [PART, `Similarity: ${before}`],
    );
  },
);

/** Takes the same site in the subject. @param {Page} page */
async function sameSite(page) {
  await open(page);
  await page.selectOption('select[name="alike-within"]', 'site');
  await until(page, / · the same site$/);
  await close(page);
}

spec('an experiment takes neighbours from all rows, and says so', { most: 180_000 }, async ({ page }) => {
  await clinic(page);
  await sameSite(page);
  await ask(page, 'experiment');
  const panel = page.locator('[data-sheet="experiment"]');
  assert.match(
    await panel.locator('.always').innerText(),
    /Neighbors are taken from all rows here; in the subject line, from the same site/,
  );
  await page.waitForSelector('#experiment-size');
  await calm(page);
  assert.deepEqual(await panel.locator('.fault').allInnerTexts(), []);
  await panel.getByRole('button', { name: 'Run', exact: true }).click();
  await panel.locator('.outcome [data-format="csv"]').waitFor({ timeout: 100_000 });
  await ask(page, 'papers');
  assert.match(await page.innerText('[data-sheet="papers"] .always'), /Neighbors are taken from all rows/);
});

spec('neighbours of a value that another file does not have are let go', { most: 180_000 }, async ({ page }) => {
  await clinic(page);
  await sameSite(page);
  // and in a panel of its own
  await used(page, 'map');
  await page.click('[data-sheet="map"] .alike summary');
  await page.selectOption('select[name="map-within"]', 'all');
  await page.locator('[data-sheet="map"] .differs').waitFor();
  await page.selectOption('select[name="map-within"]', 'site');
  await calm(page);
  const elsewhere = table(600)
    .split('\n')
    .map((line) => line.replace(/,[^,]*$/, ''))
    .join('\n');
  await pick(page, [{ name: 'elsewhere.csv', bytes: Buffer.from(elsewhere) }]);
  await page.waitForFunction(() => document.querySelector('#file')?.textContent === 'elsewhere.csv');
  await until(page, /γ = [\d.]+$/);
  assert.match(await used(page, 'map'), /γ = [\d.]+\.$/);
  assert.match(await used(page, 'scorecard'), /γ = [\d.]+/);
  assert.deepEqual(await page.locator('.alert').allInnerTexts(), []);
  assert.doesNotMatch(decodeURIComponent(page.url()), /site|within/);
});

for (const within of ['~0', '~999', 'no_such'])
  spec(
    `a link with neighbours of ${within}, which cannot be had, opens as suggested`,
    {
      hash: `#${new URLSearchParams({
        view: 'finding',
        example: 'breast_cancer.csv',
        subject: JSON.stringify({ alike: { within, gamma: 0.7 } }),
        panels: JSON.stringify({ map: { alike: { within } } }),
      })}`,
    },
    async ({ page }) => {
      await found(page);
      await until(page, /γ = 0\.7$/);
      assert.match(await used(page, 'map'), /γ = 0\.7\.$/);
      assert.doesNotMatch(decodeURIComponent(page.url()), /within/);
    },
  );

spec('a kernel without bandwidth has no slider', {}, async ({ page }) => {
  await clinic(page);
  await open(page);
  await page.selectOption('select[name="alike-kernel"]', 'constant');
  await until(page, /constant kernel$/);
  await close(page);
  assert.match(await used(page, 'map'), / · constant kernel\.$/);
  assert.equal(await page.locator('input[name="gamma"]').count(), 0);
});

spec('logits of probabilities where nothing else describes rows', {}, async ({ page }) => {
  const { rows, probs, labels } = threeClasses(400);
  const bytes = npz({ probs: npy(probs, [rows, 3]), labels: npy(labels, [rows]) });
  await pick(page, [{ name: 'classes.npz', bytes }]);
  await found(page);
  assert.equal(await says(page), 'none');
  await open(page);
  await page.selectOption('select[name="alike-way"]', { label: 'logits of the probabilities' });
  await until(page, /Similarity: logits · Laplacian, γ/);
  await page.selectOption('select[name="alike-within"]', 'predicted');
  await until(page, / · the same predicted class$/);
  await close(page);
  const said = /^Similarity: logits · Laplacian, γ = [\d.]+ · with rows of the same predicted class\.$/;
  assert.match(await used(page, 'map'), said);
  assert.match(decodeURIComponent(page.url()), /"within":"predicted"/);
  // a session brings it back
  await goTo(page, 'report');
  await page.waitForSelector('[data-take="session"]');
  const session = await saved(page, '[data-take="session"]');
  await open(page);
  await page.click('button[name="as-suggested"]');
  await until(page, /: none$/);
  await close(page);
  await dropFiles(page, [{ name: 'then.json', text: session.bytes.toString() }]);
  await until(page, /Similarity: logits · Laplacian, γ = [\d.]+ · the same predicted class$/);
});

spec('a panel that differs says so, and one click brings them together', {}, async ({ page }) => {
  await clinic(page);
  const before = await says(page);
  await used(page, 'map');
  const differs = page.locator('[data-sheet="map"] .differs');
  assert.equal(await differs.count(), 0);
  await page.focus('input[name="gamma"]');
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('PageUp');
  await differs.waitFor();
  assert.match(await differs.innerText(), /γ = [\d.]+ in this panel, [\d.]+ in the subject line/);
  assert.equal(await says(page), before, 'the subject stays');
  await calm(page);
  const wide = /γ = ([\d.]+) in this panel/.exec(await differs.innerText())?.[1];
  assert.match(await page.innerText('[data-sheet="map"] .used'), new RegExp(`γ = ${wide}\\.$`));
  await page.click('[data-sheet="map"] button[name="as-subject"]');
  await differs.waitFor({ state: 'detached' });
  await page.click('button:has-text("Undo")');
  await differs.waitFor();
  await page.click('[data-sheet="map"] button[name="everywhere"]');
  await differs.waitFor({ state: 'detached' });
  assert.equal(await says(page), `2 components of age, dose and priors · Laplacian, γ = ${wide}`);
  await page.click('button:has-text("Undo")');
  await differs.waitFor();
  assert.equal(await says(page), before);
  // other columns in one panel alone
  await used(page, 'proximity');
  await page.click('[data-sheet="proximity"] .alike summary');
  await page.selectOption('select[name="proximity-way"]', { label: 'age and dose' });
  await page.waitForFunction(() =>
    /age and dose in this panel, 2 components of age, dose and priors in the subject line/.test(
      document.querySelector('[data-sheet="proximity"] .differs')?.textContent ?? '',
    ),
  );
  assert.match(await used(page, 'proximity'), /^Similarity: age and dose · K = 10/);
  assert.match(await used(page, 'witness'), /^Similarity: 2 components of age, dose and priors ·/);
});

spec('a link and a session hold it, and columns are places in the link', { most: 180_000 }, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  await open(page);
  await page.selectOption('select[name="alike-way"]', { label: 'mean_radius and mean_texture' });
  await until(page, /mean_radius and mean_texture ·/);
  await page.selectOption('select[name="alike-scale"]', 'standardise');
  await until(page, /standardized ·/);
  await page.fill('input[name="alike-gamma"]', '0.7');
  await page.keyboard.press('Tab');
  await until(page, /γ = 0\.7$/);
  await close(page);
  const whole = 'mean_radius and mean_texture, standardized · Laplacian, γ = 0.7';
  assert.equal(await says(page), whole);
  await page.waitForFunction(() => location.hash.includes('0.7'));
  assert.ok(!/mean_radius/.test(decodeURIComponent(page.url())), page.url());
  assert.equal(await used(page, 'map'), `Similarity: ${whole}.`);
  await page.reload();
  await page.waitForSelector('[data-sheet="map"] .used');
  await calm(page);
  assert.equal(await says(page), whole);
  assert.equal(await used(page, 'map'), `Similarity: ${whole}.`);
  // back to what is suggested, and again
  await open(page);
  await page.click('button[name="as-suggested"]');
  await until(page, /2 components of/);
  await close(page);
  await page.click('button:has-text("Undo")');
  await until(page, /γ = 0\.7$/);
  await goTo(page, 'report');
  await page.waitForSelector('[data-take="session"]');
  const { bytes } = await saved(page, '[data-take="session"]');
  const { alike } = JSON.parse(bytes.toString()).page.subject;
  assert.deepEqual(alike, {
    place: { of: ['mean_radius', 'mean_texture'], scale: 'standardise' },
    gamma: 0.7,
  });
  // with a session another file is looked at in the same way; without its columns as suggested
  await open(page);
  await page.click('button[name="as-suggested"]');
  await close(page);
  await dropFiles(page, [{ name: 'then.json', text: bytes.toString() }]);
  await until(page, /mean_radius and mean_texture, standardized · Laplacian, γ = 0\.7$/);
  await pick(page, [{ name: 'clinic.csv', bytes: Buffer.from(table(300)) }]);
  await until(page, /2 components of age, dose and priors/);
});

spec('features join an open file later, by id or in order; what does not fit changes nothing', {}, async ({ page }) => {
  const [header, ...rows] = binaryCsv(400).trim().split('\n');
  assert.equal(header, 'label,p,x1,x2');
  const cells = rows.map((row) => row.split(','));
  const text = `id,label,p\n${cells.map(([label, p], i) => `r${i},${label},${p}`).join('\n')}\n`;
  const features = cells.map(([, , x1, x2], i) => `r${i},${x1},${x2}`);
  await pick(page, [{ name: 'scores.csv', bytes: Buffer.from(text) }]);
  await found(page);
  assert.equal(await says(page), 'none');
  /** @param {string} name @param {Buffer} buffer */
  const add = async (name, buffer) => {
    if (!(await page.locator('input[name="alike-file"]').count())) await page.click(PART);
    await page.setInputFiles('input[name="alike-file"]', { name, mimeType: '', buffer });
  };
  await add(
    'short.csv',
    Buffer.from(
      `u1,u2\n${features
        .slice(0, 50)
        .map((one) => one.slice(one.indexOf(',') + 1))
        .join('\n')}\n`,
    ),
  );
  await page.waitForSelector('.alert:has-text("400 and 50 rows do not match: scores.csv and short.csv.")');
  assert.equal(await page.textContent('#file'), 'scores.csv');
  assert.equal(await says(page), 'none');
  // in another order, by ids; numbers between 0 and 1 are no second model
  await add('features.csv', Buffer.from(`id,u1,u2\n${[...features].reverse().join('\n')}\n`));
  await until(page, /u1 and u2 · Laplacian/);
  assert.equal(await page.textContent('#file'), 'scores.csv, features.csv');
  await shut(page);
  assert.match(await used(page, 'map'), /^Similarity: u1 and u2 · Laplacian/);
  const joined = await page.innerText('[data-sheet="map"] .facts');
  await page.click('button:has-text("Undo")');
  await until(page, /none/);
  assert.equal(await page.textContent('#file'), 'scores.csv');
  // an array has the order of the file
  const array = Float64Array.from(cells.flatMap(([, , x1, x2]) => [Number(x1), Number(x2)]));
  await add('penultimate.npy', npy(array, [400, 2]));
  await until(page, /penultimate · Laplacian/);
  await shut(page);
  await used(page, 'map');
  assert.equal(await page.innerText('[data-sheet="map"] .facts'), joined, 'the same rows at the same places');
  // what is said of a column while files are being joined stays said
  await goTo(page, 'data');
  await page.click('#data .part[title^="Similarity"]');
  const role = 'select[aria-label="Role of id"]';
  await page.evaluate(
    ({ at, text }) => {
      const given = new DataTransfer();
      given.items.add(new File([text], 'more.csv'));
      const input = /** @type {HTMLInputElement} */ (document.querySelector('#data input[name="alike-file"]'));
      input.files = given.files;
      const select = /** @type {HTMLSelectElement} */ (document.querySelector(at));
      select.value = 'text';
      for (const one of [input, select]) one.dispatchEvent(new Event('change', { bubbles: true }));
    },
    { at: role, text: `v\n${cells.map(([, , x1]) => x1).join('\n')}\n` },
  );
  await page.waitForFunction(
    (names) => document.querySelector('#file')?.textContent === names,
    'scores.csv, penultimate.npy, more.csv',
  );
  await goTo(page, 'data');
  assert.equal(await page.inputValue(role), 'text');
});

spec(
  'a t-SNE of the picker is where LoRe and the trust test look; so is what the model says',
  { most: 180_000 },
  async ({ page }) => {
    const { probs, labels, features } = threeClasses(300);
    const arrays = { probs: npy(probs, [300, 3]), labels: npy(labels, [300]), features: npy(features, [300, 2]) };
    await pick(page, [{ name: 'made.npz', bytes: npz(arrays) }]);
    await found(page);
    await open(page);
    await page.selectOption('select[name="alike-tsne"]', '3');
    await page.fill('input[name="alike-perplexity"]', '12');
    await page.keyboard.press('Tab');
    assert.doesNotMatch((await says(page)) ?? '', /t-SNE/, 'it waits for a button');
    await page.click('button[name="alike-make"]');
    await until(page, /t-SNE in 3-D of features · Laplacian, γ/);
    await close(page);
    const where = 't-SNE in 3-D of features';
    assert.ok((await used(page, 'klce')).startsWith(`Similarity: ${where} · RBF`));
    assert.match(await page.locator('[data-sheet="klce"] .facts').first().innerText(), /t-SNE 3 of features/);
    await ask(page, 'repair');
    await page.waitForSelector('.methods [data-method="lore"]');
    assert.ok((await used(page, 'repair')).includes(`; ${where} · Laplacian`), 'after Ridge LoRe, as in the table');
    // the model's own probabilities, and the map again from the list
    await open(page);
    await page.selectOption('select[name="alike-tsne"]', '');
    await until(page, /: features ·/);
    await page.check('input[name="alike-of"][value="probs"]');
    await until(page, /: features and probs ·/);
    await page.uncheck('input[name="alike-of"][value="features"]');
    await until(page, /: probs ·/);
    await close(page);
    assert.match(await used(page, 'proximity'), /^Similarity: probs · K = 10/);
    await open(page);
    await page.selectOption('select[name="alike-way"]', { label: where });
    await until(page, /t-SNE in 3-D of features/);
  },
);

spec('of several classes the rows of one predicted class can be compared with each other', {}, async ({ page }) => {
  const { probs, labels, features } = threeClasses(300);
  const arrays = { probs: npy(probs, [300, 3]), labels: npy(labels, [300]), features: npy(features, [300, 2]) };
  await pick(page, [{ name: 'made.npz', bytes: npz(arrays) }]);
  await found(page);
  const predicted = Array.from({ length: 300 }, (_, i) => {
    const row = [...probs.subarray(3 * i, 3 * i + 3)];
    return row.indexOf(Math.max(...row));
  });
  await open(page);
  await page.selectOption('select[name="alike-class"]', '1');
  const count = predicted.filter((one) => one === 1).length;
  await page.waitForSelector(`#subject .part[title^="Rows: ${count} rows: predicted class = 1"]`);
  await page.selectOption('select[name="alike-class"]', '');
  await page.waitForSelector('#subject .part[title^="Rows: 300 rows."]');
});

spec('what waits for other coordinates is dim until it is about them', {}, async ({ page }) => {
  await clinic(page);
  assert.match(await used(page, 'scorecard'), /2 components of age, dose and priors/);
  await page.evaluate(() => {
    const seen = /** @type {string[]} */ ([]);
    const look = () => {
      const answer = document.querySelector('[data-sheet="scorecard"] .answer');
      const text = answer?.querySelector('.used')?.textContent ?? '';
      if (answer) seen.push(`${answer.classList.contains('stale') ? 'dim' : 'bright'} ${text}`);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
    Object.assign(window, { seen });
  });
  await open(page);
  await page.selectOption('select[name="alike-way"]', { label: 'age and dose' });
  await until(page, /^Similarity: age and dose ·/);
  await close(page);
  assert.match(await page.innerText('[data-sheet="scorecard"] .used'), /age and dose ·/);
  const seen = await page.evaluate(() => /** @type {any} */ (window).seen);
  assert.ok(
    seen.some((/** @type {string} */ one) => /^dim Similarity: 2 components/.test(one)),
    'the old numbers are dim',
  );
  assert.match(seen.at(-1), /^bright Similarity: age and dose/);
});

for (const width of [320, 1280])
  spec(
    `the picker at ${width} px, by keyboard`,
    { context: { viewport: { width, height: 800 } } },
    async ({ page }) => {
      await clinic(page);
      await page.focus(PART);
      await page.keyboard.press('Enter');
      await page.waitForSelector('select[name="alike-way"]');
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'alike-way');
      await drawn(page); // it is moved into the window a frame after it is shown
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      const cut = await page.locator('#subject .choices:not([hidden])').evaluate((box) => {
        const { left, right } = box.getBoundingClientRect();
        const wide = [...box.querySelectorAll('input, select, button, p, legend')].filter((one) => {
          const at = one.getBoundingClientRect();
          return at.left < left - 1 || at.right > right + 1;
        });
        return wide.map((one) => one.outerHTML.slice(0, 80));
      });
      assert.deepEqual(cut, []);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space'); // the first column
      await until(page, /2 components of dose and priors/);
      await page.keyboard.press('Escape');
      assert.match((await page.evaluate(() => document.activeElement?.getAttribute('title'))) ?? '', /^Similarity/);
    },
  );

spec(
  'axe finds nothing in the open picker, light and dark',
  { context: { colorScheme: 'light' } },
  async ({ page }) => {
    await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8'));
    await clinic(page);
    await open(page);
    await page.selectOption('select[name="alike-tsne"]', '2');
    await page.waitForSelector('button[name="alike-make"]');
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      await calm(page);
      await page.waitForFunction(() => document.getAnimations().length === 0);
      const faults = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] });
        return violations.flatMap((/** @type {any} */ rule) =>
          rule.nodes.map((/** @type {any} */ node) => `${rule.id}: ${node.html.slice(0, 160)}`),
        );
      });
      assert.deepEqual(faults, [], colorScheme);
    }
  },
);
