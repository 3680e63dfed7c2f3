// Nothing leaves: no request beyond the page itself, during everything a person can do; and the policy holds.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  ask,
  binaryCsv,
  calm,
  dropFiles,
  found,
  goTo,
  openedAs,
  saved,
  spec,
  specBoth,
  unfoldAll,
} from './harness.mjs';
import { built } from './launch.mjs';

specBoth('a whole analysis makes no request', {}, async ({ page, requests, served }) => {
  const before = requests.length;
  await page.click('[data-sample="breast_cancer.csv"]');
  await openedAs(page, 'breast_cancer.csv', 569);
  await found(page);
  await goTo(page, 'data');
  await page.click('[data-example="synthetic.csv"]');
  await openedAs(page, 'synthetic.csv', 4000);
  await found(page);
  await dropFiles(page, [{ name: 'own.csv', text: binaryCsv(500) }]);
  await openedAs(page, 'own.csv', 500);
  await found(page);
  await ask(page, 'repair');
  await page.check('input[name="platt"]');
  await calm(page);
  await goTo(page, 'report');
  for (const kind of ['predictions', 'calibrator', 'report']) {
    const saved = page.waitForEvent('download');
    await page.click(`[data-export="${kind}"]`);
    await saved;
  }
  assert.deepEqual(
    requests.slice(before).filter((url) => !/^(blob|data):/.test(url)),
    [],
  );
  assert.ok(served.length <= 1, `the server was asked for ${served}`);
  assert.equal(
    await page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => !/^(blob|data):/.test(name)).length,
    ),
    0,
  );
});

specBoth('the policy refuses every way out', {}, async ({ page, faults, served }) => {
  const outcomes = await page.evaluate(async () => {
    const refused = (/** @type {Promise<any>} */ promise) =>
      promise.then(
        () => 'went through',
        () => 'refused',
      );
    const image = new Promise((resolve, reject) => {
      const picture = new Image();
      picture.onload = resolve;
      picture.onerror = reject;
      picture.src = 'http://127.0.0.1:9/leak.png';
    });
    navigator.sendBeacon('http://127.0.0.1:9/leak', 'x');
    const inline = document.createElement('script');
    inline.textContent = 'window.leaked = true';
    document.body.append(inline);
    // in a task of its own: the debugger that runs this function is exempt from the policy
    const evaluated = await refused(
      new Promise((resolve, reject) =>
        setTimeout(() => {
          try {
            resolve((0, eval)('1 + 1'));
          } catch (error) {
            reject(error);
          }
        }),
      ),
    );
    return {
      fetch: await refused(fetch('http://127.0.0.1:9/leak')),
      image: await refused(image),
      inline: 'leaked' in window,
      evaluated,
    };
  });
  assert.deepEqual(outcomes, { fetch: 'refused', image: 'refused', inline: false, evaluated: 'refused' });
  assert.ok(
    faults.some((text) => text.includes('connect-src')),
    'the refusal of the beacon is logged',
  );
  assert.ok(served.length <= 1);
  faults.length = 0; // the refusals were provoked
});

specBoth('nothing is stored', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'private-name.csv', text: binaryCsv(100) }]);
  await found(page);
  const kept = await page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    cookie: document.cookie,
    hash: location.hash,
    databases: (await indexedDB.databases()).length,
  }));
  assert.deepEqual(kept, { local: 0, session: 0, cookie: '', hash: '#view=finding', databases: 0 });
});

/** Ways out of a page that no content security policy closes, and those that it does: each notes that it was tried. */
function listen() {
  /** @type {string[]} */
  const tried = [];
  Object.assign(window, { tried });
  const note = (/** @type {string} */ name) =>
    function noted() {
      tried.push(name);
    };
  for (const name of [
    'open',
    'fetch',
    'RTCPeerConnection',
    'webkitRTCPeerConnection',
    'WebSocket',
    'EventSource',
    'WebTransport',
    'XMLHttpRequest',
    'SharedWorker',
    'BroadcastChannel',
  ]) {
    if (name in window) Object.assign(window, { [name]: note(name) });
  }
  Object.assign(Navigator.prototype, { sendBeacon: note('sendBeacon') });
  Object.assign(HTMLFormElement.prototype, { submit: note('submit'), requestSubmit: note('requestSubmit') });
  // a link that the page clicks itself saves a file; anything else would lead away
  const { click } = HTMLAnchorElement.prototype;
  HTMLAnchorElement.prototype.click = function clicked() {
    if (!this.href.startsWith('blob:') || !this.hasAttribute('download')) tried.push(`click ${this.href}`);
    click.call(this);
  };
  // leaving for another address, `location` among the ways to
  window.navigation?.addEventListener('navigate', (event) => {
    if (!event.destination.sameDocument && event.downloadRequest === null)
      tried.push(`navigate ${event.destination.url}`);
  });
}

specBoth(
  "the page's own code opens nothing, in any view",
  { init: listen, most: 300_000 },
  async ({ page, requests, served }) => {
    /** @type {string[]} */
    const opened = [];
    page.on('popup', (other) => opened.push(other.url()));
    page.on('websocket', (socket) => opened.push(socket.url()));
    const before = requests.length;
    await page.click('#seal');
    await dropFiles(page, [{ name: 'own.csv', text: binaryCsv(300) }]);
    await found(page);
    const unfold = async () => {
      await calm(page, 120_000);
      await unfoldAll(page, 120_000);
    };
    for (const view of ['data', 'finding', 'explore', 'report']) {
      await goTo(page, view);
      await unfold();
    }
    await goTo(page, 'explore');
    const kinds = await page
      .locator('[data-question]')
      .evaluateAll((all) => all.map((one) => /** @type {HTMLElement} */ (one).dataset.question ?? ''));
    assert.ok(kinds.length > 15, kinds.join());
    // no code of the page asks how it was opened: its questions are asked one way
    for (const kind of page.url().startsWith('http') ? kinds : []) {
      await ask(page, kind);
      await unfold();
    }
    await goTo(page, 'report');
    await calm(page);
    const names = await page.locator('#report-files button:enabled').evaluateAll((buttons) => buttons.length);
    assert.ok(names >= 9, `${names} files to take`);
    const saving = '#report-files button:enabled:not([data-take="print"], [data-take="copy"], [data-take="tables"])';
    for (const button of await page.locator(saving).all()) await saved(page, button);
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).tried), []);
    assert.deepEqual(opened, []);
    assert.deepEqual(
      requests.slice(before).filter((url) => !/^(blob|data):/.test(url)),
      [],
    );
    assert.ok(served.length <= 1, `the server was asked for ${served}`);
  },
);

spec('the page says what it is, what its rule cannot stop, and how a copy is checked', {}, async ({ page }) => {
  assert.match(await page.innerText('footer'), /LoCal \d+\.\d+\.\d+, (\d+ \w+ \d{4}|without a date)\. MIT license/);
  await page.click('#seal');
  const words = await page.innerText('#privacy');
  for (const limit of [
    /makes no request and opens no socket, window or other address/,
    /WebRTC/,
    /window\.open/,
    /location/,
    /extensions/,
    /'wasm-unsafe-eval'/,
    /sha256sum/,
  ])
    assert.match(words, limit);
  assert.doesNotMatch(words, /refuses every|forbids this page to connect to anything/);
  const hash = createHash('sha256').update(readFileSync(built)).digest('hex');
  assert.equal(readFileSync(`${built}.sha256`, 'utf8'), `${hash}  localcal.html\n`);
  await page.setInputFiles('#saved-copy', built);
  await page.waitForFunction((expected) => document.querySelector('#checksum')?.textContent?.endsWith(expected), hash);
});
