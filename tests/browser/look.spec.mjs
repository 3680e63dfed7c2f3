// What a person sees: nothing is cut off, on a phone either; text keeps its contrast; colors are the charts' own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ask, binaryCsv, calm, drawn, found, goTo, pick, spec } from './harness.mjs';

const hospital = new URL('../corpus/files/hospital.csv', import.meta.url);

/** Views, and questions of Explore. */
const PLACES = [
  'data',
  'finding',
  'scorecard',
  'reliability',
  'map',
  'groups',
  'repair',
  'before_after',
  'decide',
  'report',
];

/** @param {import('playwright-core').Page} page @param {string} place */
async function shown(page, place) {
  if (['data', 'finding', 'report'].includes(place)) await goTo(page, place);
  else await ask(page, place);
  if (place === 'repair') await page.waitForSelector('.methods [data-method="lore"]');
  await drawn(page);
  await calm(page);
}

spec(
  'names of views and buttons beside them stay on one line at 320, 390, 600 and 900 px',
  { context: { viewport: { width: 320, height: 844 } } },
  async ({ page }) => {
    const onOneLine = async () => {
      for (const width of [320, 390, 600, 900]) {
        await page.setViewportSize({ width, height: 844 });
        await drawn(page);
        const broken = await page
          .locator('nav a, nav button')
          .evaluateAll((all) =>
            all.filter((one) => one.checkVisibility() && one.clientHeight > 48).map((one) => one.textContent),
          );
        assert.deepEqual(broken, [], `${width} px`);
      }
    };
    await page.click('[data-sample="breast_cancer.csv"]');
    await found(page);
    await onOneLine();
    // with something to undo, too
    await goTo(page, 'report');
    await page.fill('input[name="suppress"]', '5');
    await page.keyboard.press('Tab');
    await page.waitForSelector('.history button:enabled');
    await onOneLine();
  },
);

for (const sample of ['breast_cancer.csv', 'digits.npz'])
  spec(
    `nothing is cut off at 320 and 1280 px with ${sample}`,
    { context: { viewport: { width: 320, height: 900 } } },
    async ({ page }) => {
      await page.click(`[data-sample="${sample}"]`);
      await found(page);
      for (const [width, place] of [320, 1280].flatMap((width) =>
        PLACES.map((place) => /** @type {const} */ ([width, place])),
      )) {
        await page.setViewportSize({ width, height: 900 });
        await shown(page, place);
        const beyond = await page.evaluate((wide) => {
          const box = document.documentElement;
          const canvases = [...document.querySelectorAll('canvas')].filter((one) => one.clientWidth > 0);
          return {
            page: box.scrollWidth - box.clientWidth,
            regions: wide
              ? [...document.querySelectorAll('section:not(#data) .scroll')]
                  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
                  .map((one) => one.ariaLabel)
              : [],
            // a canvas is never squeezed: its pixels are square
            squeezed: canvases.filter(
              (one) => Math.abs(one.clientWidth / one.clientHeight - one.width / one.height) > 0.03,
            ).length,
          };
        }, width >= 1280);
        assert.deepEqual(beyond, { page: 0, regions: [], squeezed: 0 }, `${place}, ${width} px`);
      }
    },
  );

spec(
  'a table of long values fits its window',
  { context: { viewport: { width: 1280, height: 900 } } },
  async ({ page }) => {
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    await ask(page, 'compare');
    const table = page.locator('[data-sheet="compare"] .scroll').nth(1);
    await table.waitFor({ timeout: 120_000 });
    assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth + 1));
  },
);

spec(
  'a phone does not part a date, a comparison or the words of a neighborhood, and moves no table of results',
  { context: { viewport: { width: 320, height: 800 } } },
  async ({ page }) => {
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    const lines = (/** @type {string} */ selector) =>
      page.locator(selector).evaluateAll((all) => all.map((one) => one.getClientRects().length));
    assert.ok((await lines('#finding h1 .unbroken')).length >= 2);
    assert.deepEqual([...new Set(await lines('#finding h1 .unbroken'))], [1]);
    const moved = () =>
      page
        .locator('.blocks .scroll:visible')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel));
    assert.deepEqual(await moved(), []);
    await ask(page, 'groups');
    // cards begin with the first values of a line
    const adjusted = page.locator('[data-sheet="groups"] .cards.many [data-name="Adjusted p"]').first();
    await adjusted.waitFor({ state: 'attached' });
    assert.ok(!(await adjusted.isVisible()));
    await page.locator('[data-sheet="groups"] .cards.many').locator('xpath=..').getByText('Show all values').click();
    await adjusted.waitFor();
    assert.deepEqual(await moved(), []);
    // the heads sort the cards, and say so
    const heads = page.locator('[data-sheet="groups"] .cards.many thead tr');
    assert.match(await heads.evaluate((one) => getComputedStyle(one, '::before').content), /Sort by/);
    const first = page.locator('[data-sheet="groups"] .cards.many tbody th').first();
    assert.equal(await first.innerText(), 'ICU');
    // a name has the whole width of its card
    assert.ok((await first.evaluate((one) => one.clientWidth)) > 200);
    await page.click('[data-sheet="groups"] .cards.many thead button:has-text("Group")');
    await page.waitForSelector('[data-sheet="groups"] .cards.many tbody tr:first-child th:has-text("Cardiology")');
    await ask(page, 'over_time');
    const dates = page.locator('[data-sheet="over_time"] tbody th:visible');
    await dates.first().waitFor();
    assert.ok(await dates.evaluateAll((all) => all.every((one) => one.clientHeight < 44)));
    await ask(page, 'map');
    await page.waitForSelector('.worst tbody td');
    const narrowest = await page
      .locator('.worst td')
      .evaluateAll((all) => Math.min(...all.map((one) => one.clientWidth)));
    assert.ok(narrowest > 200, `a cell is ${narrowest} px wide`);
  },
);

spec('text keeps its contrast, light and dark', { context: { colorScheme: 'light' } }, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  for (const place of PLACES) {
    await shown(page, place);
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      // what was dimmed fades in
      await page.waitForFunction(() => document.getAnimations().length === 0);
      const faint = await page.evaluate(() => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        if (!canvas) return ['no canvas'];
        const rgb = (/** @type {string} */ colour) => {
          canvas.clearRect(0, 0, 1, 1);
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data];
        };
        const light = (/** @type {number[]} */ colour) =>
          [0.2126, 0.7152, 0.0722].reduce(
            (sum, weight, i) =>
              sum + weight * (colour[i] <= 10 ? colour[i] / 3294.6 : ((colour[i] / 255 + 0.055) / 1.055) ** 2.4),
            0,
          );
        const behind = (/** @type {Element} */ element) => {
          for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
            const colour = rgb(getComputedStyle(at).backgroundColor);
            if (colour[3] === 255) return colour;
          }
          return [255, 255, 255];
        };
        const poor = [];
        for (const element of document.querySelectorAll('main *, header *, nav *')) {
          const own = [...element.childNodes].some(
            (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
          );
          if (!own || !element.checkVisibility() || element.matches('option, :disabled, :disabled *, .unseen'))
            continue;
          const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
          if ((a + 0.05) / (b + 0.05) < 4.5)
            poor.push(`${element.tagName}.${element.className}: ${element.textContent?.slice(0, 30)}`);
        }
        return poor;
      });
      assert.deepEqual(faint, [], `${place}, ${colorScheme}`);
    }
  }
});

spec('a chart has the paper of the page, also when the colours change', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await ask(page, 'reliability');
  await page.waitForSelector('[data-sheet="reliability"] figure:not(.empty):not(.stale)');
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('[data-sheet="reliability"] canvas'));
      const [r, g, b, a] = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
        canvas.width - 2,
        canvas.height - 2,
        1,
        1,
      ).data;
      return a === 0 || getComputedStyle(document.body).backgroundColor === `rgb(${r}, ${g}, ${b})`;
    });
  }
});

spec('settings are in the address, data are not; a reload of a file says what to do', {}, async ({ page }) => {
  await pick(page, [{ name: 'secret.csv', bytes: Buffer.from(binaryCsv(200)) }]);
  await ask(page, 'map');
  assert.equal(new URL(page.url()).hash, '#view=explore&panel=map');
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  assert.match(await page.innerText('#again'), /open the file again/);
});

spec('the preview of eight columns fits', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  await goTo(page, 'data');
  const cut = await page.evaluate(() => {
    const box = /** @type {HTMLElement} */ (document.querySelector('#data .scroll'));
    const last = /** @type {HTMLElement} */ ([...box.querySelectorAll('select')].at(-1)).getBoundingClientRect();
    return last.right - box.getBoundingClientRect().right;
  });
  assert.ok(cut <= 0, `the last list is cut off by ${cut} px`);
});

spec(
  'letters of twice the size fit a phone, part no button, and leave a low window to what is read',
  { context: { viewport: { width: 390, height: 844 } } },
  async ({ page }) => {
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    for (const place of ['data', 'finding', 'scorecard', 'reliability', 'report']) {
      await shown(page, place);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(beyond, 0, place);
      const parted = await page
        .locator('nav button')
        .evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.clientHeight > 72).length);
      assert.equal(parted, 0, place);
    }
    // letters of a panel grow with the others
    await ask(page, 'scorecard');
    const note = page.locator('[data-sheet="scorecard"] .question p').first();
    assert.equal(await note.evaluate((one) => getComputedStyle(one).fontSize), '26px');
    const head = () => page.locator('body > header').evaluate((one) => getComputedStyle(one).position);
    assert.equal(await head(), 'sticky');
    await page.setViewportSize({ width: 640, height: 256 });
    await page.waitForFunction(() => matchMedia('(max-height: 30em)').matches);
    assert.equal(await head(), 'static');
  },
);

spec(
  'letters of twice the size part no word of a heading at 320 px, and lay no value over another',
  { context: { viewport: { width: 320, height: 844 } } },
  async ({ page }) => {
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    const parted = () =>
      page.locator('h1, h2, .reading, .finding').evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .flatMap((one) => {
            const words = [];
            const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
            for (let text = texts.nextNode(); text; text = texts.nextNode())
              for (const { 0: word, index } of text.nodeValue?.matchAll(/[a-z]{3,}/gi) ?? []) {
                const range = document.createRange();
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
                if (lines.size > 1) words.push(word);
              }
            return words;
          }),
      );
    const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.deepEqual(await parted(), [], 'before any file');
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    await page.waitForSelector('.advice [data-take="repaired"]');
    for (const place of ['finding', 'scorecard', 'map', 'sweep', 'groups', 'repair', 'report']) {
      await shown(page, place);
      assert.deepEqual(await parted(), [], place);
      assert.equal(await beyond(), 0, place);
    }
    await shown(page, 'repair');
    const over = await page
      .locator('.methods td')
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent),
      );
    assert.deepEqual(over, []);
    // lines of a heading have their height
    const title = page.locator('[data-sheet="repair"] .question h2').first();
    assert.ok(
      await title.evaluate((one) => {
        const { fontSize, lineHeight } = getComputedStyle(one);
        return parseFloat(lineHeight) > parseFloat(fontSize);
      }),
    );
  },
);

spec(
  'cards cut no value, have the mark of an error before it, and heads that a finger hits',
  { context: { viewport: { width: 390, height: 844 } } },
  async ({ page }) => {
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    for (const kind of ['compare', 'groups']) {
      await ask(page, kind);
      await page.locator(`[data-sheet="${kind}"] .cards tbody td`).first().waitFor({ timeout: 120_000 });
      await calm(page, 120_000);
      const cut = await page.locator(`[data-sheet="${kind}"] .cards td .unbroken`).evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .filter(
            (one) => one.getBoundingClientRect().right > (one.closest('td')?.getBoundingClientRect().right ?? 0) + 1,
          )
          .map((one) => one.textContent),
      );
      assert.deepEqual(cut, [], kind);
      const heads = await page
        .locator(`[data-sheet="${kind}"] .cards.many thead button`)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height).filter((height) => height > 0));
      assert.ok(heads.length > 0 && Math.min(...heads) >= 24, `${kind}: ${heads}`);
    }
    const marks = await page
      .locator('[data-sheet="groups"] .cards td.number:is(.over, .under)')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one.children[0], '::before').content.trim()[1]));
    assert.ok(marks.length > 0 && marks.every((mark) => '▲▼'.includes(mark)), marks.join());
  },
);

spec(
  'a dark page is printed light, its charts too, and is dark again after that',
  { context: { colorScheme: 'dark' } },
  async ({ page }) => {
    await pick(page, [{ name: 'hospital.csv', bytes: readFileSync(hospital) }]);
    await found(page);
    await page.waitForSelector('.advice [data-take="repaired"]');
    await calm(page);
    /** Brightness of the corner of each chart, as the page would print it now. */
    await page.evaluate(() => {
      const corners = () =>
        [...document.querySelectorAll('#finding canvas')].map((one) => {
          const canvas = /** @type {HTMLCanvasElement} */ (one);
          const [red = 0] = canvas.getContext('2d')?.getImageData(2, canvas.height - 2, 1, 1).data ?? [];
          return { where: canvas.closest('section')?.className ?? '', red, dark: canvas.dataset.dark };
        });
      Object.assign(window, { corners });
      // after what the page itself does then
      addEventListener('beforeprint', () => Object.assign(window, { printed: corners() }));
    });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    /** @type {{ where: string, red: number, dark: string }[]} */
    const printed = await page.evaluate(() => /** @type {any} */ (window).printed);
    assert.ok(printed.length >= 2);
    for (const { where, red, dark } of printed.filter((one) => !one.where.includes('where')))
      assert.deepEqual([where, red > 240, dark], [where, true, 'false']);
    // what cannot be painted anew at once is turned light by the style
    const unturned = await page
      .locator('#finding canvas[data-dark="true"]')
      .evaluateAll((all) => all.filter((one) => getComputedStyle(one).filter === 'none').length);
    assert.equal(unturned, 0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await page.waitForFunction(() =>
      /** @type {any} */ (window).corners().every((/** @type {{ red: number }} */ { red }) => red < 60),
    );
  },
);
