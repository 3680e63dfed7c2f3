// Opens the built page as a person does, from disk and over HTTP, and hears every request that it makes.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { server } from '../../www/serve.mjs';
import { built, launching } from './launch.mjs';

export { binaryCsv, random } from './launch.mjs';

/** Folder with public data files, or null. @type {string | null} */
export const dataFolder = process.env.LOCALCAL_DATA ?? null;

/** Path of a public data file; says so and answers null when it is absent. @param {string} name */
export function publicFile(name) {
  const path = dataFolder && join(dataFolder, name);
  if (path && existsSync(path)) return path;
  console.log(`skipped: ${name} not found (set LOCALCAL_DATA)`);
  return null;
}

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('node:http').Server} */
let http;
/** @type {string[]} */
const served = [];
/** @type {Record<'file' | 'http', string>} */
const address = { file: pathToFileURL(built).href, http: '' };

before(async () => {
  http = server((url) => served.push(url)).listen(0, '127.0.0.1');
  await new Promise((ready) => http.once('listening', ready));
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  address.http = `http://127.0.0.1:${port}/`;
  // a new browser has a new, empty profile folder; pages of specs end long before what is compiled a second time has paid
  const args = [...launching.args, '--js-flags=--wasm-tiering-budget=200000000'];
  browser = await chromium.launch({ ...launching, args });
});
after(async () => {
  await browser?.close();
  http?.close();
});

/**
 * @typedef {{ page: import('playwright-core').Page, requests: string[], served: string[], faults: string[] }} Opened
 */
/** `clock`: the page has a clock that the spec can turn; `starts`: false, where the core cannot; `most`: milliseconds that
 * a long walk may take. @typedef {{ hash?: string, script?: boolean, clock?: boolean, starts?: boolean, init?: (() => void) | (() => void)[], most?: number, context?:
 * import('playwright-core').BrowserContextOptions }} Way */

/** Milliseconds that a spec waits for something, and takes: on two cores with another file of specs beside it. */
const WAIT = 60_000;
const LONGEST = 150_000;

/** The page of several tests, while they go on. @type {{ opened: Opened, close: () => Promise<void> } | null} */
let shared = null;

/** Opens the page in a fresh profile; what a page before it still held is let go.
 * @param {'file' | 'http'} by @param {Way} way */
async function openPage(by, { hash = '', script = true, clock = false, starts = true, init, context: given = {} }) {
  await shared?.close();
  shared = null;
  const context = await browser.newContext({
    javaScriptEnabled: script,
    acceptDownloads: true,
    viewport: { width: 1280, height: 900 },
    ...given,
  });
  served.length = 0;
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT);
    /** @type {string[]} */
    const requests = [];
    /** @type {string[]} */
    const faults = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => message.text().includes('Content Security Policy') && faults.push(message.text()));
    if (clock) await page.clock.install(); // time goes on as before, until a spec says otherwise
    for (const script of [init ?? []].flat()) await page.addInitScript(script);
    await page.goto(address[by] + hash, { waitUntil: 'domcontentloaded' });
    if (script && starts) await page.evaluate(() => window.localcal.ready);
    return { opened: { page, requests, served, faults }, close: () => context.close() };
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** Runs `body`, and fails on any error that the page's own script did not handle.
 * @param {Opened} opened @param {(opened: Opened) => Promise<void>} body */
async function watched(opened, body) {
  await body(opened);
  if (opened.faults.length > 0) throw new Error(`unhandled in the page: ${opened.faults.join('; ')}`);
}

/** A page for `body` alone. @param {'file' | 'http'} by @param {Way} way @param {(opened: Opened) => Promise<void>} body */
async function visit(by, way, body) {
  const { opened, close } = await openPage(by, way);
  try {
    await watched(opened, body);
  } finally {
    await close();
  }
}

/**
 * Tests over one page, each beginning with what the one before it left; `begin` makes that the first time. A test that
 * fails takes its page with it, and the next one begins with another. Other specs do not go between them.
 * @param {'file' | 'http'} by @param {Way} way @param {(opened: Opened) => Promise<void>} begin
 * @returns {(name: string, body: (opened: Opened) => Promise<void>) => unknown}
 */
export function onOnePage(by, way, begin) {
  /** @type {typeof shared} */
  let own = null;
  return (name, body) =>
    test(name, { timeout: way.most ?? LONGEST }, async () => {
      try {
        if (!own || own !== shared) {
          own = await openPage(by, way);
          shared = own;
          await watched(own.opened, begin);
        }
        await watched(own.opened, body);
      } catch (error) {
        shared = null;
        await own?.close();
        throw error;
      }
    });
}

/**
 * A test over the built page by one way of opening it. @param {string} name @param {Way} way @param {(opened: Opened)
 * => Promise<void>} body
 */
export const spec = (name, way, body) => test(name, { timeout: way.most ?? LONGEST }, () => visit('http', way, body));

/** The same from disk, as most people open it. @param {string} name @param {Way} way @param {(opened: Opened) =>
 * Promise<void>} body */
export const specFromDisk = (name, way, body) =>
  test(name, { timeout: way.most ?? LONGEST }, () => visit('file', way, body));

/**
 * The same test from disk and over HTTP, where that may be different: opening, workers, saving, what is sent and stored. @param {string} name @param {Way} way @param {(opened: Opened) =>
 * Promise<void>} body
 */
export function specBoth(name, way, body) {
  for (const by of /** @type {const} */ (['file', 'http']))
    test(`${name} (${by})`, { timeout: way.most ?? LONGEST }, () => visit(by, way, body));
}

/**
 * Drops files on the page as a person does. @param {import('playwright-core').Page} page @param {{ name: string, text:
 * string }[]} files
 */
export async function dropFiles(page, files) {
  const transfer = await page.evaluateHandle((given) => {
    const held = new DataTransfer();
    for (const { name, text } of given) held.items.add(new File([text], name));
    return held;
  }, files);
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

/**
 * Gives files to the page's picker. @param {import('playwright-core').Page} page @param {{ name: string, bytes: Buffer
 * }[]} files
 */
export async function pick(page, files) {
  await page.setInputFiles(
    '#picker',
    files.map(({ name, bytes }) => ({ name, mimeType: '', buffer: bytes })),
  );
}

/** Goes to a view by its tab. @param {import('playwright-core').Page} page @param {string} view */
export const goTo = (page, view) => page.click(`#views a[href="#view=${view}"]`);

/** Asks a question of Explore. @param {import('playwright-core').Page} page @param {string} kind */
export async function ask(page, kind) {
  await page.waitForSelector('#views');
  if (!(await page.locator('.questions').isVisible())) await goTo(page, 'explore');
  await page.waitForSelector('.questions');
  const folded = page.locator('.questions > details:not([open]) > summary');
  if (await folded.count()) await folded.click();
  await page.click(`.questions [data-question="${kind}"]`);
  await page.waitForSelector(`[data-sheet="${kind}"]`);
}

/** Waits until the rows that were opened are scored. @param {import('playwright-core').Page} page */
export async function scored(page) {
  await ask(page, 'scorecard');
  await page.waitForSelector('.scorecard tbody tr');
}

/** Opens a part of the subject and chooses what is called so.
 * @param {import('playwright-core').Page} page @param {string} part as its button begins @param {string} text */
export async function choose(page, part, text) {
  await page.click(`#subject .part[title^="${part}"]`);
  const option = page.locator('#subject .choices:not([hidden]) label', { hasText: text }).first();
  await option.waitFor(); // what is being opened again may offer it a moment later
  const closes = (await option.locator('input[type="radio"]').count()) > 0;
  await option.click();
  // one of several closes a moment later; who opens it again before that would close it
  if (closes) await page.waitForSelector(`#subject .part[title^="${part}"][aria-expanded="false"]`);
}

/** Waits until the file of this name is open, with so many rows, with a session or without.
 * @param {import('playwright-core').Page} page @param {string} name @param {number} rows */
export const openedAs = (page, name, rows) =>
  page.waitForFunction(
    ([file, count]) =>
      [file, `${file} with a session`].includes(document.querySelector('#file')?.textContent ?? '') &&
      document.querySelector('#subject .part[title^="Rows"]')?.textContent?.startsWith(count),
    [name, rows.toLocaleString('en-GB')],
  );

/** Waits until the finding of what was opened stands there. @param {import('playwright-core').Page} page */
export const found = (page) => page.waitForSelector('#finding[aria-busy="false"] h1');

/** Two frames: what was asked for is drawn, or marked as on its way. @param {import('playwright-core').Page} page */
export const drawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

/** Nothing is running and nothing is stale. @param {import('playwright-core').Page} page @param {number} [most] */
export const calm = (page, most = WAIT) =>
  page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'), undefined, {
    timeout: most,
  });

/** Unfolds everything on screen, also what is folded within, and waits until nothing runs.
 * @param {import('playwright-core').Page} page @param {number} [most] */
export async function unfoldAll(page, most) {
  for (let depth = 0; depth < 3; depth += 1) {
    const folded = await page.locator('main details:not([open])').evaluateAll((all) => {
      for (const one of all) /** @type {HTMLDetailsElement} */ (one).open = true;
      return all.length;
    });
    if (folded === 0) return;
    await drawn(page);
    await calm(page, most);
  }
}

/** Unfolds the settings of a panel. @param {import('playwright-core').Page} page @param {string} kind */
export async function unfold(page, kind) {
  const summary = page.locator(`[data-sheet="${kind}"] .settings:not([open]) > summary`);
  await page.waitForSelector(`[data-sheet="${kind}"] .settings`);
  if (await summary.count()) await summary.click();
}

/**
 * Waits until a canvas shows more than paper: at least `colors` colors. @param {import('playwright-core').Page} page
 * @param {string} selector
 */
export async function painted(page, selector, colors = 20) {
  await page.waitForFunction(
    ({ selector: at, colors: least }) => {
      const canvas = /** @type {HTMLCanvasElement | null} */ (document.querySelector(`${at} canvas`));
      if (!canvas || canvas.width < 100 || canvas.height < 100) return false;
      const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      );
      return new Set(new Uint32Array(data.buffer)).size >= least;
    },
    { selector, colors },
  );
}

/** Files that a page has saved in a breath: a browser holds back the eleventh. @type {WeakMap<object, number>} */
const savedBy = new WeakMap();
const BREATH = 9;

/**
 * The bytes of what a click saves. @param {import('playwright-core').Page} page @param {string |
 * import('playwright-core').Locator} what
 */
export async function saved(page, what) {
  const before = savedBy.get(page) ?? 0;
  savedBy.set(page, before + 1);
  if (before > 0 && before % BREATH === 0) await page.waitForTimeout(1200);
  // a line of progress lies over the end of the page: a click meant for what is below may fall on it
  await page.waitForFunction(() => !document.querySelector('#lines li'));
  const waiting = page.waitForEvent('download');
  await (typeof what === 'string' ? page.locator(what) : what).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Writes down what every worker is asked to run: the name of a call, or `step` for a job of a plan. */
export function spy() {
  const post = Worker.prototype.postMessage;
  Object.assign(window, { jobs: [] });
  Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ ...rest) {
    if (message?.kind === 'run')
      /** @type {any} */ (window).jobs.push(message.job instanceof Uint8Array ? 'step' : message.job.kind);
    return post.call(this, message, ...rest);
  };
}
