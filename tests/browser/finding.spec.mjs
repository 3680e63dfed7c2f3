// The finding: from a hospital's export to a report on paper, in as few actions as page and person need; the subject,
// undo, and links.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { faultyAnalyses, faultyFromScanning, faults } from './faults.mjs';
import { ask, calm, choose, drawn, dropFiles, found, goTo, openedAs, random, saved, spec } from './harness.mjs';

const corpus = resolve(import.meta.dirname, '../corpus/files');
const hospital = (/** @type {string} */ name) => ({ name, text: readFileSync(resolve(corpus, name), 'utf8') });

for (const name of ['hospital.csv', 'hospital_decimal_comma.csv']) {
  spec(`${name}: from the drop to a PDF in four actions`, { most: 180_000 }, async ({ page }) => {
    await dropFiles(page, [hospital(name)]); // 1
    await openedAs(page, name, 2500);
    await found(page);
    // the first sentence names the ward that is wrong, and is the script's, character for character
    const sentence = await page.textContent('#finding h1');
    assert.match(sentence ?? '', /^Probabilities are underestimated for ward = ICU/);
    const told = await page.evaluate(async (text) => {
      const data = await localcal.open([{ name: 'again.csv', bytes: new TextEncoder().encode(text) }], {
        beside: true,
      });
      await data.run({ resamples: 0 });
      return data.analyse('finding');
    }, hospital(name).text);
    assert.equal(sentence, told.sentence);
    // with dates, a test of change over time stands beside the numbers of all rows
    assert.match((await page.textContent('.finding-part.overall')) ?? '', /calibration (?:changed )?over time \(/i);
    // what is recommended mends it on rows that no fit saw
    await page.waitForSelector('.advice [data-take="repaired"]');
    const [ward] = told.advice?.whom ?? [];
    assert.equal(ward.description, 'ward = ICU');
    assert.ok(Math.abs(ward.before) > 0.15 && ward.low < 0 && ward.high > 0, JSON.stringify(ward));
    await goTo(page, 'report'); // 2
    const frame = page.frameLocator('#preview');
    await frame.locator('h1').waitFor();
    await calm(page);
    const html = await saved(page, '[data-take="html"]'); // 3
    assert.equal(html.name, 'report.html');
    await page.waitForSelector('[data-take="print"]:enabled'); // the frame has loaded what was written last
    await page.evaluate(() => {
      const shown = /** @type {HTMLIFrameElement} */ (document.querySelector('#preview')).contentWindow;
      Object.assign(/** @type {Window} */ (shown), { print: () => Object.assign(window, { printed: true }) });
    });
    await page.click('[data-take="print"]'); // 4
    assert.equal(await page.evaluate(() => 'printed' in window), true, 'the document is printed, not the page');
    const paper = await page.context().newPage();
    await paper.setContent(html.bytes.toString());
    const pdf = await paper.pdf({ format: 'A4' });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 1 && pages <= 4, `${pages} pages`);
  });
}

spec('what is known as soon as a file is open stands there while the rest is looked for', {}, async ({ page }) => {
  await page.evaluate(() => {
    const seen = /** @type {string[]} */ ([]);
    const look = () => seen.push(document.querySelector('#finding-title')?.textContent ?? '');
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    Object.assign(window, { seen });
  });
  await dropFiles(page, [hospital('hospital.csv')]);
  await found(page);
  const seen = await page.evaluate(() => /** @type {any} */ (window).seen.filter((/** @type {string} */ text) => text));
  const rows = hospital('hospital.csv').text.trim().split('\n').slice(1);
  const died = rows.filter((row) => row.trim().endsWith('Y')).length;
  const share = `${((100 * died) / rows.length).toFixed(1)}%`;
  assert.match(seen[0], /^Predicted \d+\.\d%, observed (.*) \(n = 2,500\)\. Scanning subgroups …$/);
  assert.equal(seen[0].match(/observed (.*?) \(/)?.[1], share);
  assert.match(seen.at(-1), /^Probabilities are underestimated for ward = ICU/);
});

/** Drops the hospital's export and waits for what is recommended. @param {import('playwright-core').Page} page */
async function advised(page) {
  await dropFiles(page, [hospital('hospital.csv')]);
  await found(page);
  await page.waitForSelector('.advice [data-take="repaired"]');
}

spec('what is recommended is taken away, and looked at everywhere', { most: 180_000 }, async ({ page }) => {
  await advised(page);
  const { name, bytes } = await saved(page, '[data-take="repaired"]');
  assert.equal(name, 'predictions.csv');
  const [header, ...rows] = bytes.toString().trim().split(/\r?\n/);
  assert.equal(rows.length, 2500);
  const part = page.locator('#subject .part[title^="Recalibration"]');
  const repair = (await part.getAttribute('title'))?.replace('Recalibration: ', '') ?? '';
  assert.match(repair, /ward = ICU/, 'the subject knows it by its name');
  assert.ok(header.includes(repair), header);
  const calibrator = await saved(page, '.advice button:has-text("Calibrator")');
  const stored = JSON.parse(calibrator.bytes.toString());
  assert.ok(
    stored.methods.some((/** @type {{ name: string }} */ one) => one.name === repair),
    calibrator.bytes.toString().slice(0, 400),
  );
  assert.ok(!/ICU|ward|hospital/.test(decodeURIComponent(page.url())), page.url());
  // one step of undo takes it away again
  await page.click('button:has-text("Undo")');
  await page.waitForSelector('#subject .part[title="Recalibration: none"]');
  await page.click('button:has-text("Redo")');
  await part.filter({ hasText: 'ward = ICU' }).waitFor();
});

/** What the page complains of. @param {import('playwright-core').Page} page */
const complaints = (page) => page.locator('.alert').allTextContents();

/** Saves a session of what is open, under another name. @param {import('playwright-core').Page} page */
async function session(page) {
  await calm(page); // what is running would be cancelled first
  await page.keyboard.press('Escape'); // a choice may lie over the tabs
  await goTo(page, 'report');
  await page.waitForSelector('[data-take="session"]');
  const { bytes } = await saved(page, '[data-take="session"]');
  await goTo(page, 'finding');
  return { name: 'march.json', text: bytes.toString() };
}

spec('a repair of its own goes with its file: session, other file, undo', { most: 180_000 }, async ({ page }) => {
  await advised(page);
  await page.click('.advice button:has-text("Apply to Explore and Report")');
  await page.waitForSelector('.advice button:has-text("Applied to Explore and Report")');
  const part = page.locator('#subject .part[title^="Recalibration"]');
  const repair = (await part.getAttribute('title')) ?? '';
  assert.match(repair, /ward = ICU/);
  const then = await session(page);
  // another file knows nothing of it
  await dropFiles(page, [{ name: 'other.csv', text: other }]);
  await openedAs(page, 'other.csv', 200);
  await page.waitForSelector('#subject .part[title="Recalibration: none"]');
  await found(page);
  assert.deepEqual(await complaints(page), []);
  // it comes back with its own
  await page.click('button:has-text("Undo")');
  await openedAs(page, 'hospital.csv', 2500);
  await page.waitForSelector(`#subject .part[title="${repair}"]`);
  await found(page);
  assert.deepEqual(await complaints(page), []);
  // next month's file beside a session, whatever that is called
  const next = { ...hospital('hospital.csv'), name: 'next.csv' };
  await dropFiles(page, [then, next]);
  await openedAs(page, 'next.csv', 2500);
  await page.waitForSelector(`#subject .part[title="${repair}"]`);
  const { bytes } = await saved(page, '.advice [data-take="repaired"]');
  assert.ok(bytes.toString().split('\n')[0].includes(repair.replace('Recalibration: ', '')));
  assert.deepEqual(await complaints(page), []);
  // a file without the column falls back to what is suggested
  const without = next.text.replace(/\bward\b/, 'unit');
  await dropFiles(page, [then, { name: 'without.csv', text: without }]);
  await openedAs(page, 'without.csv', 2500);
  await page.waitForSelector('#subject .part[title="Recalibration: none"]');
  await found(page);
  assert.deepEqual(await complaints(page), []);
});

/** A file that has nothing of the hospital's. */
const other = `score,y,site\n${Array.from(
  { length: 200 },
  (_, i) => `${((i * 37) % 100) / 100 + 0.005},${(i * 53) % 100 < (i * 37) % 100 ? 1 : 0},${'ab'[i % 2]}`,
).join('\n')}\n`;

spec('rows of a session are said, and taken away; dropped alone it is of the open file', {}, async ({ page }) => {
  await dropFiles(page, [hospital('hospital.csv')]);
  await openedAs(page, 'hospital.csv', 2500);
  await page.click('#subject .part[title^="Rows"]');
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'ICU');
  await page.keyboard.press('Enter');
  await openedAs(page, 'hospital.csv', 257);
  const then = await session(page);
  await dropFiles(page, [{ ...hospital('hospital.csv'), name: 'next.csv' }]);
  await openedAs(page, 'next.csv', 2500);
  await dropFiles(page, [then]);
  await openedAs(page, 'next.csv', 257);
  await page.click('#subject .part[title^="Rows"]');
  assert.equal(await page.inputValue('input[name="only ward"]'), 'ICU');
  await page.fill('input[name="only ward"]', '');
  await page.keyboard.press('Enter');
  await openedAs(page, 'next.csv', 2500);
  await page.click('button:has-text("Undo")');
  await openedAs(page, 'next.csv', 257);
  assert.deepEqual(await complaints(page), []);
});

spec('a link names no column of files that were stacked', {}, async ({ page }) => {
  const [header, ...rows] = other.trim().split('\n');
  const part = (/** @type {string} */ name, /** @type {number} */ from) => ({
    name,
    text: `${[header, ...rows.slice(from, from + 100)].join('\n')}\n`,
  });
  await dropFiles(page, [part('train.csv', 0), part('test.csv', 100)]);
  await page.waitForSelector('#subject .part[title="Group by: site"]');
  await page.click('#subject .part[title^="Similarity"]');
  await page.selectOption('#subject .choices:not([hidden]) select', { label: 'site' });
  await page.waitForSelector('#subject .part[title="Group by: none"]');
  await page.waitForFunction(() => location.hash.includes('read='));
  const told = decodeURIComponent(page.url());
  assert.ok(!/site|train|test\.csv/.test(told), told);
});

spec('a session alone says that it holds no rows', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'march.json', text: '{ "schema": "localcal-session/1", "open": {} }' }]);
  await page.waitForSelector('.alert:has-text("no rows")');
});

spec('what is changed in the subject changes everywhere, and can be taken back', {}, async ({ page }) => {
  await dropFiles(page, [hospital('hospital.csv')]);
  await found(page);
  const sentence = await page.textContent('#finding h1');
  await choose(page, 'Recalibration', 'Temperature scaling');
  await page.waitForSelector('#subject .part[title="Recalibration: Temperature scaling"]');
  await page.click('#subject .part[title^="Rows"]');
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'ICU');
  await page.keyboard.press('Enter');
  await openedAs(page, 'hospital.csv', 257);
  await page.waitForFunction(
    (before) => document.querySelector('#finding[aria-busy="false"] h1')?.textContent !== before,
    sentence,
  );
  const settings = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.equal(settings.get('subject'), '{"repair":"temperature"}');
  assert.ok(!/ICU|ward|hospital/.test(decodeURIComponent(page.url())), page.url());
  await page.keyboard.press('Escape');
  await page.click('button:has-text("Undo")');
  await openedAs(page, 'hospital.csv', 2500);
  await page.click('button:has-text("Undo")');
  await page.waitForSelector('#subject .part[title="Recalibration: none"]');
  await page.waitForFunction(
    (before) => document.querySelector('#finding[aria-busy="false"] h1')?.textContent === before,
    sentence,
  );
  await page.click('button:has-text("Redo")');
  await page.waitForSelector('#subject .part[title="Recalibration: Temperature scaling"]');
});

spec('a reload of an example restores everything', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  await choose(page, 'Outcome', 'benign');
  await page.waitForSelector('#subject .part[title="Outcome: diagnosis = benign"]');
  await choose(page, 'Recalibration', 'Platt scaling');
  await goTo(page, 'explore');
  const before = page.url();
  await page.reload();
  await page.waitForSelector('#subject .part[title="Outcome: diagnosis = benign"]');
  await page.waitForSelector('#subject .part[title="Recalibration: Platt scaling"]');
  await page.waitForSelector('#views a[aria-current="page"]:has-text("Explore")');
  assert.equal(page.url(), before);
});

spec('former links lead to the nearest view', { hash: '#step=where' }, async ({ page }) => {
  assert.equal(await page.locator('#again').isVisible(), true, 'a link keeps settings, never data');
  await dropFiles(page, [hospital('hospital.csv')]);
  await page.waitForSelector('#views a[aria-current="page"]:has-text("Explore")');
  assert.match(page.url(), /#view=explore/);
});

spec(
  'the recommendation is a sentence and a table, its details are tables where there is room',
  {},
  async ({ page }) => {
    await dropFiles(page, [hospital('hospital.csv')]);
    await page.waitForSelector('.advice [data-take="repaired"]');
    const part = page.locator('.finding-part.advice');
    assert.match((await part.locator('> p').first().textContent()) ?? '', /^Log loss decreases from [^;]*\)\.$/);
    // the subgroups are lines of a table, in columns that line up; no sentence says the same
    const cells = await part.locator('.effects :is(tbody th, td)').allTextContents();
    assert.equal(cells[0], 'ward = ICU');
    assert.match(cells.slice(1).join(' '), /^257 \S+\spp \S+\spp \(.+ to .+\)$/);
    const others = await part.locator('> .statement').allTextContents();
    assert.match(others[0], /^Predicted probabilities increase in .* rows? and decrease in /);
    assert.match(others[others.length - 1], /subgroup/);
    assert.doesNotMatch(others.join(' '), /ward = ICU/);
    for (const width of [1280, 1680]) {
      await page.setViewportSize({ width, height: 900 });
      for (const id of ['whom', 'advice'])
        await page.locator(`.${id} > .aside`).evaluate((/** @type {HTMLDetailsElement} */ one) => (one.open = true));
      await page.waitForSelector('.advice .aside table');
      // no cards, and nothing beyond the side
      await page.waitForFunction(() =>
        [...document.querySelectorAll(':is(.whom, .advice) .aside .scroll')].every(
          (one) =>
            getComputedStyle(/** @type {Element} */ (one.querySelector('table'))).display === 'table' &&
            one.scrollWidth <= one.clientWidth,
        ),
      );
    }
  },
);

spec('the finding is one screen, and one column on a phone', {}, async ({ page }) => {
  await dropFiles(page, [hospital('hospital.csv')]);
  await found(page);
  await page.waitForSelector('.advice [data-take="repaired"]');
  await calm(page);
  const tops = () =>
    page.locator('.finding-part').evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));
  assert.equal((await tops()).length, 4);
  assert.ok(
    (await tops()).every((top) => top < 700),
    'every part begins on the first screen',
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn(page);
  await calm(page);
  const lefts = await page
    .locator('.finding-part')
    .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().left)));
  assert.deepEqual(new Set(lefts).size, 1);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

spec('a session opens on the file of the next month, and says what changed', { most: 180_000 }, async ({ page }) => {
  await dropFiles(page, [hospital('hospital.csv')]);
  await found(page);
  await choose(page, 'Recalibration', 'Temperature scaling');
  await goTo(page, 'report');
  await page.frameLocator('#preview').locator('h1').waitFor();
  await calm(page);
  const session = await saved(page, '[data-take="session"]');
  assert.equal(session.name, 'session.json');
  const kept = session.bytes.toString();
  assert.ok(!kept.includes('P104000'), 'no row of the file');
  await page.reload();
  const next = hospital('hospital_next.csv');
  const rows = next.text.trim().split('\n').length - 1;
  await dropFiles(page, [{ name: 'session.json', text: kept }, next]);
  await openedAs(page, 'hospital_next.csv', rows);
  // what was chosen then is chosen now
  await page.waitForSelector('#subject .part[title="Recalibration: Temperature scaling"]');
  await ask(page, 'changed');
  await calm(page);
  const told = await page.textContent('[data-sheet="changed"] .reading');
  const asked = await page.evaluate(
    async (files) => {
      const data = await localcal.open([{ name: files.next.name, bytes: new TextEncoder().encode(files.next.text) }], {
        beside: true,
        session: JSON.parse(files.kept),
      });
      await data.run({ resamples: 0 });
      return (await data.analyse('changed')).sheet;
    },
    { kept, next },
  );
  assert.ok(told && JSON.stringify(asked).includes(told), told ?? 'no reading');
  assert.match(told, /ward = Surgery: .+ changed from .+ to /);
  assert.match((await page.textContent(`[data-sheet="changed"]`)) ?? '', /Stored recalibrations on this file/);
});

/** Calibrated, but for one of many groups: `columns` of noise make the search for it long. @param {number} columns */
function masked(columns) {
  const next = random(11);
  const names = Array.from({ length: columns }, (_, j) => `v${j}`);
  const rows = Array.from({ length: 3000 }, (_, i) => {
    const p = 0.2 + 0.6 * next();
    const group = 'ABCDEFGH'[i % 8] ?? '';
    const y = Number(next() < p - (group === 'C' ? 0.2 : 0));
    return [y, p.toFixed(4), group, ...names.map(() => next().toFixed(3))].join(',');
  });
  return { name: 'masked.csv', text: [['y', 'p', 'team', ...names].join(','), ...rows].join('\n') };
}

spec('a search for subgroups that is cancelled never reassures, and goes on with one click', {}, async ({ page }) => {
  await dropFiles(page, [masked(80)]);
  await page.waitForSelector('#finding h1:has-text("Scanning subgroups")');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => /not been examined/.test(document.querySelector('#finding h1')?.textContent ?? ''));
  const said = (await page.textContent('#finding h1')) ?? '';
  // what was tested is stated, and that the rest was not
  assert.match(said, /Subgroups have not been examined\./);
  assert.doesNotMatch(said, /^No (clear|significant|evidence)|No other|No subgroup|in any of/);
  // of what ended first, the run or the search
  await page.click('#uncomputed button, #finding button:has-text("Continue")');
  await page.waitForFunction(() => !/not been examined/.test(document.querySelector('#finding h1')?.textContent ?? ''));
  await found(page);
  assert.match((await page.textContent('#finding h1')) ?? '', /team = C/);
});

spec('Esc between the run and the search stops the search', {}, async ({ page }) => {
  // pressed the moment nothing is listed as running, while the headline says that something is
  await page.evaluate(() => {
    let ran = false;
    new MutationObserver(() => {
      const running = document.querySelectorAll('#lines li:not(.ended)').length;
      const scanning = /Scanning subgroups/.test(document.querySelector('#finding h1')?.textContent ?? '');
      if (ran && running === 0 && scanning && !('pressed' in window)) {
        Object.assign(window, { pressed: true });
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      }
      ran ||= running > 0 && scanning;
    }).observe(document.body, { childList: true, subtree: true });
  });
  await dropFiles(page, [masked(80)]);
  await page.waitForFunction(() => 'pressed' in window);
  await page.click('#finding button:has-text("Continue")');
  await found(page);
  assert.match((await page.textContent('#finding h1')) ?? '', /team = C/);
});

for (const [what, seed] of /** @type {const} */ ([
  ['throws', 666],
  ['ends without a word', 668],
]))
  spec(
    `a worker that ${what} while subgroups are looked for leaves no reassuring headline`,
    { init: [faults, faultyAnalyses] },
    async ({ page }) => {
      await faultyFromScanning(page, seed);
      await dropFiles(page, [masked(80)]);
      await page.waitForFunction(() =>
        document.querySelector('#finding h1')?.textContent?.includes('not been examined'),
      );
      const said = (await page.textContent('#finding h1')) ?? '';
      assert.doesNotMatch(said, /^No (clear|significant|evidence)/);
    },
  );

spec(
  'a browser that cannot join signals to cancel finds the same',
  { init: () => Reflect.deleteProperty(AbortSignal, 'any') },
  async ({ page }) => {
    await dropFiles(page, [hospital('hospital.csv')]);
    await found(page);
    assert.match((await page.textContent('#finding h1')) ?? '', /^Probabilities are underestimated for ward = ICU/);
  },
);

/** A good model of y = 0 whose labels say what `labels` says of 0 and 1. @param {[string, string]} labels */
function labeled(labels, score = 'p') {
  const next = random(5);
  const rows = Array.from({ length: 800 }, () => {
    const p = next();
    return `${labels[next() < p ? 1 : 0]},${p.toFixed(4)}`;
  });
  return { name: 'labelled.csv', text: [`outcome,${score}`, ...rows].join('\n') };
}

spec('a reversed ranking is said first, with the other event as a button', {}, async ({ page }) => {
  await dropFiles(page, [labeled(['zzz', 'aaa'])]);
  await found(page);
  assert.match((await page.textContent('#finding h1')) ?? '', /^The ranking is reversed/);
  await calm(page);
  assert.equal(await page.locator('.advice [data-take="repaired"]').count(), 0, 'nothing is recommended');
  await page.click('#finding button:has-text("Use outcome = aaa as the event")');
  await page.waitForFunction(() => !/reversed/.test(document.querySelector('#finding h1')?.textContent ?? ''));
  await found(page);
  assert.equal(await page.locator('#finding .event').count(), 0, 'what a person chose is no guess');
});

spec('a follow-up time is said below the finding, in the words of Data', {}, async ({ page }) => {
  const draw = random(37);
  const rows = Array.from({ length: 240 }, () => {
    const p = 0.1 + 0.7 * draw();
    return `${p.toFixed(3)},${Math.round(30 + 300 * draw())},${draw() < p ? 1 : 0}`;
  });
  await dropFiles(page, [{ name: 'followed.csv', text: ['prob,followup_days,died', ...rows].join('\n') }]);
  await found(page);
  const said = page.locator('#finding .follow_up');
  await said.waitFor();
  assert.match((await said.textContent()) ?? '', /followup_days.* reads like a follow-up time.*not being censored/);
  await dropFiles(page, [hospital('hospital.csv')]);
  await openedAs(page, 'hospital.csv', 2500);
  await found(page);
  assert.equal(await page.locator('#finding .follow_up').count(), 0);
});

spec('what is recommended and not compared is said, and included by a button', { most: 240_000 }, async ({ page }) => {
  await dropFiles(page, [hospital('hospital.csv')]);
  await openedAs(page, 'hospital.csv', 2500);
  await found(page);
  await page.waitForSelector('.advice [data-take="repaired"]');
  const title = (await page.textContent('.finding-part.advice h3')) ?? '';
  await goTo(page, 'explore');
  await ask(page, 'decide');
  const lacks = page.locator('[data-sheet="decide"] .not-included');
  await lacks.waitFor();
  assert.ok((await lacks.textContent())?.startsWith(`Not included: the recommended recalibration, ${title}.`));
  for (const kind of ['before_after', 'multiples', 'sweep']) {
    await ask(page, kind);
    await page.waitForSelector(`[data-sheet="${kind}"] .not-included`);
  }
  await ask(page, 'decide');
  await lacks.getByRole('button').click();
  await lacks.waitFor({ state: 'detached' });
  // from then on the finding says that it is of the original predictions, and leads to both
  await goTo(page, 'finding');
  assert.match(await page.innerText('#finding .of-original'), /original predictions\. For .*, see Before and after/);
  await page.click('#finding .of-original button');
  await page.waitForSelector('[data-sheet="before_after"]');
  await ask(page, 'decide');
  await page.waitForFunction(
    (title) => document.querySelector('[data-sheet="decide"]')?.textContent?.includes(title),
    title,
  );
});

spec('an event that was guessed is said in the finding, with the other as a button', {}, async ({ page }) => {
  await dropFiles(page, [labeled(['aaa', 'zzz'])]);
  await found(page);
  assert.match((await page.textContent('#finding .event')) ?? '', /The event label is not specified.*zzz/);
  assert.equal(await page.locator('#finding .event button:has-text("outcome = aaa")').count(), 1);
});

/** The hospital's export with another coding of the outcome, wrong in every fortieth row. */
function withLaterCoding() {
  const [header, ...rows] = hospital('hospital.csv').text.trim().split(/\r?\n/);
  const coded = rows.map((row, i) => `${row.endsWith('Y') !== (i % 40 === 0) ? 'closed' : 'open'},${row}`);
  return { name: 'later.csv', text: [`case_status,${header}`, ...coded].join('\n') };
}

spec('subgroups have one order, before the recommendation is there and after it', {}, async ({ page }) => {
  // two wards are miscalibrated, the smaller one more; a number of noise beside them
  const next = random(5);
  const line = (/** @type {number} */ i) => {
    const p = 0.3 + 0.4 * next();
    const ward = ['A', 'B', 'A', 'C', 'D', 'D', 'A', 'D'][i % 8] ?? '';
    const shift = { A: 0.16, B: -0.28 }[ward] ?? 0;
    return `${Number(next() < p + shift)},${p.toFixed(4)},${ward},${next().toFixed(3)}`;
  };
  const text = `y,p,ward,x\n${Array.from({ length: 4000 }, (_, i) => line(i)).join('\n')}\n`;
  const [listed, recalibrated] = await page.evaluate(async (text) => {
    const data = await localcal.open([{ name: 'wards.csv', bytes: new TextEncoder().encode(text) }], { beside: true });
    await data.run({ resamples: 0 });
    const { whom, advice } = await data.analyse('finding');
    const names = (/** @type {{ description: string }[]} */ some) => some.map(({ description }) => description);
    return [names(whom), names(advice?.whom ?? [])];
  }, text);
  assert.ok(listed.length >= 2, `${listed}`);
  assert.deepEqual(recalibrated, listed);
});

spec(
  'on a phone the numbers come within the first screen, the reasons of a caution after a click',
  { context: { viewport: { width: 320, height: 800 } } },
  async ({ page }) => {
    const later = withLaterCoding();
    const twice = later.text.split('\n').map((line, i) => `${i > 0 ? line.split(',')[0] : 'case_code'},${line}`);
    await dropFiles(page, [{ name: 'later.csv', text: twice.join('\n') }]);
    await found(page);
    await calm(page);
    const caution = page.locator('#finding details.caution');
    assert.equal(
      await caution.locator('summary').innerText(),
      'case_code and 1 more column may be known only after the outcome',
    );
    assert.equal(await caution.locator('p').isVisible(), false);
    // all that was found is in the heading, its first sentence in larger letters than the others
    const sizes = await page
      .locator('#finding h1, #finding h1 .further')
      .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
    assert.ok(sizes.length === 2 && sizes[0] > sizes[1], `${sizes}`);
    const foot = await page
      .locator('.overall .facts > div')
      .first()
      .evaluate((one) => one.getBoundingClientRect().bottom);
    assert.ok(foot <= 800, `the first number ends at ${foot} px`);
    await caution.locator('summary').click();
    assert.match(await caution.innerText(), /explains? (at least )?\d+\.\d% of its variance/);
  },
);

spec(
  'a column that may be known only after the outcome: nothing is recommended before it is settled',
  {},
  async ({ page }) => {
    await dropFiles(page, [withLaterCoding()]);
    await found(page);
    await page.waitForSelector('#finding .cautions');
    assert.match(
      (await page.textContent('#finding .cautions')) ?? '',
      /^case_status may be known only after the outcome: it explains \d+\.\d% of its variance/,
    );
    await calm(page);
    assert.match(
      (await page.textContent('.finding-part.advice')) ?? '',
      /before it is clear whether case_status is known/,
    );
    assert.equal(await page.locator('.advice [data-take="repaired"]').count(), 0);
    // said to be known, it is a subgroup's column like any other
    await page.click('#finding .cautions button:has-text("Known before the outcome")');
    await page.waitForSelector('#finding .cautions', { state: 'detached' });
    await found(page);
    assert.match((await page.textContent('#finding h1')) ?? '', /case_status/);
    await page.click('button:has-text("Undo")');
    await page.waitForSelector('#finding .cautions');
    await page.click('#finding .cautions button:has-text("Ignore case_status")');
    await page.waitForSelector('#finding .cautions', { state: 'detached' });
    await page.waitForSelector('.advice [data-take="repaired"]');
    assert.match((await page.textContent('#finding h1')) ?? '', /^Probabilities are underestimated for ward = ICU/);
  },
);

spec(
  'risk scores in deciles: the guess about the outcome is the only question, and the finding says how they are read',
  {},
  async ({ page }) => {
    const next = random(5);
    const rows = Array.from({ length: 900 }, () => {
      const score = 1 + Math.floor(10 * next());
      const event = next() < score / 11;
      return `${score},${event ? 1 : 0},${next() < 0.5 ? 0 : 1},${Math.floor(20 + 60 * next())}`;
    });
    await dropFiles(page, [
      { name: 'deciles.csv', text: ['decile_score,two_year_recid,is_married,age', ...rows].join('\n') },
    ]);
    await page.waitForSelector(
      '#data select[name="role deciles.csv:decile_score"], #data select[name="role decile_score"]',
    );
    await page.locator('#data select[name$="decile_score"]').last().selectOption('probability');
    await page.waitForFunction(() => /is the probability/.test(document.querySelector('#data')?.textContent ?? ''));
    assert.equal(await page.locator('button:has-text("Read as percentages")').count(), 0);
    const yes = page.locator('#data .conversation button.primary:has-text("Yes")');
    if ((await yes.count()) > 0) await yes.click();
    await goTo(page, 'finding');
    await found(page);
    assert.match(
      (await page.textContent('#finding .cautions')) ?? '',
      /read as the probabilities \(score − 0\.5\) \/ 10/,
    );
  },
);
