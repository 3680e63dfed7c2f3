// What was seen and mended in the views Data, Finding and Report, and in the subject line: it stays so.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { npy, npz, threeClasses } from './files.mjs';
import { ask, calm, drawn, dropFiles, found, goTo, pick, spec } from './harness.mjs';

const hospital = {
  name: 'hospital.csv',
  text: readFileSync(resolve(import.meta.dirname, '../corpus/files/hospital.csv'), 'utf8'),
};

/** A file whose last column could be what happened, under a name that does not say so. @param {number} rows */
function guessed(rows) {
  const line = (/** @type {number} */ i) => {
    const p = ((i * 37) % 99) / 100 + 0.005;
    return `${20 + ((i * 7) % 50)},${'ab'[i % 2]},${p.toFixed(3)},${((i * 61) % 100) / 100 < p ? 1 : 0}`;
  };
  return {
    name: 'guessed.csv',
    text: `age,site,p,zeta\n${Array.from({ length: rows }, (_, i) => line(i)).join('\n')}\n`,
  };
}

spec('a guess about a column is asked by its name, and one click says that it is right', {}, async ({ page }) => {
  await dropFiles(page, [guessed(200)]);
  await page.waitForSelector('#data-title');
  assert.match(await page.innerText('#data-title'), /^The role of zeta was inferred: Outcome\./);
  assert.equal(await page.inputValue('.asked select'), 'label');
  await page.click('#data button:has-text("Yes")');
  await page.waitForSelector('#subject .part[title="Outcome: zeta = 1"]');
  // nothing is left to do in Data
  await found(page);
  await page.waitForFunction(() => document.activeElement?.id === 'finding-title');
  // it leads on once: who corrects something else later stays
  await goTo(page, 'data');
  await page.selectOption('select[aria-label="Role of site"]', 'ignore');
  await page.waitForSelector('#subject .part[title^="Group by"]:has-text("none")');
  assert.equal(await page.locator('#data').count(), 1);
});

spec(
  'the question about a guess is a heading in the other views, too, and its answer leads on',
  {},
  async ({ page }) => {
    await dropFiles(page, [guessed(200)]);
    await page.waitForSelector('#data-title');
    for (const view of ['report', 'explore', 'finding']) {
      await goTo(page, view);
      await page.waitForSelector('#wanting-title');
      assert.match(await page.innerText('#wanting-title'), /^The role of zeta was inferred: Outcome\./);
    }
    const [note, yes] = [page.locator('.asked .note'), page.locator('.conversation button:has-text("Yes")')];
    const ends = await note.evaluate((one) => one.getBoundingClientRect().bottom);
    const begins = await yes.evaluate((one) => one.getBoundingClientRect().top);
    assert.ok(begins - ends >= 8, `${begins - ends} px between the reason and the answer`);
    await yes.focus();
    await page.keyboard.press('Enter');
    await found(page);
    await page.waitForFunction(() => document.activeElement?.id === 'finding-title');
  },
);

spec('what a file lacks has its control beneath the sentence that says so', {}, async ({ page }) => {
  const lines = guessed(60).text.replace('zeta', 'died').split('\n');
  const withoutScore = (/** @type {string} */ line) => line.split(',').filter((_, i) => i !== 2);
  const text = lines.map((line) => withoutScore(line).join(',')).join('\n');
  await dropFiles(page, [{ name: 'labels.csv', text }]);
  await page.waitForSelector('#data .fields');
  assert.match(await page.innerText('#data .fields'), /Prediction column/);
  assert.match(await page.innerText('#data .conversation'), /One column must hold the model’s prediction/);
});

/** The parts of the subject whose choice, once open, is empty or is not what lies at its own middle.
 * @param {import('playwright-core').Page} page */
async function poorChoices(page) {
  /** @type {string[]} */
  const poor = [];
  for (const part of ['Model', 'Outcome', 'Rows', 'Group by', 'Similarity', 'Recalibration']) {
    await page.click(`#subject .part[title^="${part}"]`);
    await drawn(page); // it is moved into the window a frame after it is shown
    const fault = await page.locator('#subject .choices:not([hidden])').evaluate((box) => {
      const { left, right, top, bottom } = box.getBoundingClientRect();
      if (box.textContent?.trim() === '') return 'empty';
      const at = document.elementFromPoint((left + right) / 2, Math.min((top + bottom) / 2, innerHeight - 1));
      return box.contains(at) && left >= 0 && right <= innerWidth ? '' : 'not seen';
    });
    if (fault) poor.push(`${part}: ${fault}`);
    await page.keyboard.press('Escape');
  }
  return poor;
}

spec(
  'every choice of the subject is seen at 1280, 390 and 320 px, and none is empty',
  { context: { viewport: { width: 320, height: 800 } } },
  async ({ page }) => {
    const atEachWidth = async (/** @type {string} */ what) => {
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await drawn(page);
        await calm(page); // a line of progress may lie over a choice
        assert.deepEqual(await poorChoices(page), [], `${what}, ${width} px`);
      }
    };
    const { rows, probs, labels, features } = threeClasses(300);
    const arrays = { probs: npy(probs, [rows, 3]), labels: npy(labels, [rows]), features: npy(features, [rows, 2]) };
    await pick(page, [{ name: 'three.npz', bytes: npz(arrays) }]);
    await found(page);
    await atEachWidth('arrays');
    await page.setViewportSize({ width: 320, height: 800 });
    await dropFiles(page, [hospital]);
    await page.waitForSelector('#subject .part[title="Outcome: died = Y"]');
    await found(page);
    await atEachWidth('a table');
  },
);

spec('the finding says nothing twice, draws who is off once, and is one screen and one sheet', {}, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  await page.waitForSelector('.advice [data-take="repaired"]');
  await calm(page);
  const told = await page.evaluate(() => [
    document.querySelector('#finding h1')?.textContent ?? '',
    ...[...document.querySelectorAll('.finding-part p')].map((one) => one.textContent ?? ''),
  ]);
  const [headline, ...others] = told.filter((text) => text.length > 30);
  assert.equal(new Set(others).size, others.length, 'each once');
  assert.deepEqual(
    others.filter((text) => headline.includes(text)),
    [],
    'nothing of the headline again',
  );
  assert.equal((await page.innerText('.advice')).split('Intercept shift for ward = ICU only').length - 1, 1);
  // what is recommended stands in the drawing of who is off
  assert.equal(await page.locator('.whom canvas').count(), 1);
  assert.equal(await page.locator('.advice canvas').count(), 0);
  const table = page.locator('.whom .chart').getByRole('button', { name: 'Data table' });
  await table.click();
  assert.match((await page.textContent('.whom .twin table')) ?? '', /repair|recalibrat/i);
  await table.click();
  const foot = await page
    .locator('.advice [data-take="repaired"]')
    .evaluate((one) => one.getBoundingClientRect().bottom);
  assert.ok(foot <= 900, `what to do ends at ${foot} px`);
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 1, 'sheets of paper');
  // on paper the subject is whole, on as many lines as it takes
  await page.emulateMedia({ media: 'print' });
  const cut = await page.locator('#subject').evaluate((line) => {
    line.style.width = '320px';
    return [line, ...line.querySelectorAll('.part')].filter((one) => one.scrollWidth > one.clientWidth + 1).length;
  });
  assert.equal(cut, 0);
});

spec('names of columns are set apart, and no mark of that is seen', {}, async ({ page }) => {
  const split = readFileSync(new URL('../corpus/files/split.csv', import.meta.url), 'utf8');
  await dropFiles(page, [{ name: 'split.csv', text: split }]);
  await found(page);
  for (const place of ['data', 'scorecard', 'reliability', 'repair']) {
    if (place === 'data') await goTo(page, place);
    else await ask(page, place);
    await calm(page);
    await page.waitForSelector('code:text-is("split")');
    const seen = await page.evaluate(() => [
      document.body.innerText,
      ...[...document.querySelectorAll('[title]')].map((one) => one.getAttribute('title')),
    ]);
    assert.deepEqual(
      seen.filter((text) => text?.includes('`')),
      [],
      place,
    );
  }
});

spec('a map without anything to show says why, and comes back with rows that have neighbours', {}, async ({ page }) => {
  const few = guessed(20).text.replace('zeta', 'died');
  await dropFiles(page, [{ name: 'few.csv', text: few }]);
  await found(page);
  await calm(page);
  assert.match(await page.innerText('.where'), /Too few/);
  assert.equal(await page.locator('.where canvas').isVisible(), false);
  await dropFiles(page, [{ name: 'many.csv', text: guessed(600).text.replace('zeta', 'died') }]);
  await page.waitForSelector('#file:has-text("many.csv")');
  await found(page);
  await page.waitForSelector('.where canvas', { state: 'visible' });
  assert.doesNotMatch(await page.innerText('.where'), /Too few/);
});

spec('the preview is as tall as its document in any width, and the keys that print, print it', {}, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  await goTo(page, 'report');
  await page.waitForSelector('[data-take="print"]:enabled');
  await page.frameLocator('#preview').locator('h1').waitFor();
  for (const width of [1280, 390, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForFunction(() => {
      const frame = /** @type {HTMLIFrameElement} */ (document.querySelector('#preview'));
      const sheet = frame.contentDocument?.documentElement;
      return sheet && sheet.offsetHeight > 500 && Math.abs(frame.clientHeight - sheet.offsetHeight) <= 1;
    });
    // a table that is too wide for a phone shows at its edge that there is more, and its caption stays
    const plain = await page.evaluate(() => {
      const sheet = /** @type {HTMLIFrameElement} */ (document.querySelector('#preview')).contentDocument;
      return [...(sheet?.querySelectorAll('.scroll') ?? [])].filter((one) => {
        const caption = one.querySelector('caption')?.getBoundingClientRect().width ?? 0;
        return getComputedStyle(one).backgroundImage === 'none' || caption > one.getBoundingClientRect().width + 1;
      }).length;
    });
    if (width === 390) assert.equal(plain, 0);
  }
  // the recommendation is the last that the report waits for: the document is not written again after it
  await calm(page);
  await page.waitForSelector('[data-take="print"]:enabled');
  await page.evaluate(() => {
    const shown = /** @type {HTMLIFrameElement} */ (document.querySelector('#preview')).contentWindow;
    Object.assign(/** @type {Window} */ (shown), { print: () => Object.assign(window, { printed: true }) });
  });
  await page.keyboard.press('Control+p');
  assert.equal(await page.evaluate(() => 'printed' in window), true);
  // the keyboard is seen in the frame
  await page.locator('footer summary').focus();
  await page.keyboard.press('Shift+Tab');
  await page.waitForFunction(() => {
    const frame = document.querySelector('#preview');
    return frame && document.activeElement === frame && getComputedStyle(frame).outlineStyle === 'solid';
  });
  // the browser's menu prints the page: it says how the document is printed, and not a part of it
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('#preview').isVisible(), false);
  assert.match(
    await page.innerText('#report'),
    /^To print the report, press Ctrl.P on the page, or use .Print or save as PDF./,
  );
});

/** 400 rows with long names of features: the third of them is 30 letters long. */
function longNames() {
  const names = ['age_at_admission', 'creatinine_first_24_hours', 'c_reactive_protein_first_48_hours'];
  const line = (/** @type {number} */ i) => {
    const p = ((i * 37) % 97) / 97;
    const said = [20 + ((i * 7) % 61), 40 + ((i * 13) % 101), 1 + ((i * 29) % 89)];
    return `${p.toFixed(3)},${((i * 61) % 89) / 89 < p ? 'dead' : 'alive'},${said.join(',')}`;
  };
  const lines = Array.from({ length: 400 }, (_, i) => line(i));
  const text = `predicted_risk_of_death,died_within_30_days,${names.join(',')}\n${lines.join('\n')}\n`;
  return { names, file: { name: 'long.csv', text } };
}

spec('the subject says all of itself at any width, and what is chosen opens below the head', {}, async ({ page }) => {
  const { names, file } = longNames();
  await dropFiles(page, [file]);
  await page.waitForSelector('#subject .part[title^="Outcome: died_within_30_days"]');
  await page.click('#subject .part[title^="Similarity"]');
  for (const name of names) await page.check(`#subject .choices input[name="alike-of"][value="${name}"]`);
  await page.selectOption('#subject .choices select[name="alike-scale"]', '');
  await page.fill('#subject .choices input[name="alike-pca"]', '');
  await page.press('#subject .choices input[name="alike-pca"]', 'Enter');
  await page.keyboard.press('Escape');
  const whole = `${names[0]}, ${names[1]} and ${names[2]}`;
  await page.waitForSelector(`#subject .part[title*="${whole}"][aria-expanded="false"]`);
  for (const width of [320, 390, 768, 901, 1100, 1280, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    // the head has been measured in this width
    await page.waitForFunction(
      () =>
        document.documentElement.style.getPropertyValue('--head') ===
        `${document.querySelector('header')?.offsetHeight}px`,
    );
    const cut = await page
      .locator('#subject .part')
      .evaluateAll((parts) =>
        parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent),
      );
    assert.deepEqual(cut, [], `at ${width}`);
    assert.match(await page.innerText('#subject'), new RegExp(names[2]), `at ${width}`);
    await page.click('#subject .part[title^="Recalibration"]');
    const [foot, top] = await page.evaluate(() => [
      document.querySelector('header')?.getBoundingClientRect().bottom ?? 0,
      document.querySelector('#subject .choices:not([hidden])')?.getBoundingClientRect().top ?? 0,
    ]);
    if (width <= 900) assert.ok(top >= foot, `the choice begins at ${top}, the head ends at ${foot}, at ${width}`);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('#subject .choices:not([hidden])'));
    // what the keyboard goes to is not behind the head
    const clear = await page.evaluate(() =>
      Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop),
    );
    assert.ok(clear >= foot, `${clear} of ${foot} at ${width}`);
  }
});

spec('roles of columns are level below names of one line and of two', {}, async ({ page }) => {
  const { file, names } = longNames();
  await dropFiles(page, [{ ...file, text: file.text.replace(names[0], 'age') }]);
  await page.waitForSelector('#subject .part[title^="Outcome: died_within_30_days"]');
  await goTo(page, 'data');
  await page.waitForSelector('.preview select');
  const tops = (/** @type {string} */ what) =>
    page
      .locator(what)
      .evaluateAll((all) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().top)))]);
  assert.ok((await tops('.preview .name')).length > 1, 'names of one line and of two');
  assert.equal((await tops('.preview select')).length, 1);
});
