// window.localcal: the shapes that scripts rely on.

import assert from 'node:assert/strict';
import { binaryCsv, found, openedAs, spec, specBoth } from './harness.mjs';

const file = { name: 'script.csv', text: binaryCsv(120) };

specBoth('open, run, export and close have the documented shapes', {}, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const bytes = new TextEncoder().encode(text);
    const data = await localcal.open([{ name, bytes }]);
    /** @type {any[]} */
    const events = [];
    const report = await data.run({ seed: 0 }, { onProgress: (progress) => events.push(progress) });
    const blobs = [];
    for (const kind of ['predictions', 'calibrator', 'report']) blobs.push(await data.export(kind));
    for (const format of ['svg', 'pdf', 'png'])
      blobs.push(await data.export('chart', { chart: 'reliability', format }));
    data.close();
    const later = await data.run().catch((error) => ({
      error: error instanceof Error,
      code: error.code,
      message: error.message,
      hint: error.hint,
    }));
    return {
      left: bytes.length,
      summary: data.summary,
      report,
      last: events.at(-1),
      count: events.length,
      blobs: blobs.map(({ type, size }) => ({ type, size })),
      later,
    };
  }, file);
  assert.equal(seen.left, file.text.length, 'the bytes of the caller are not detached');
  assert.equal(seen.summary.rows, 120);
  assert.deepEqual(
    Object.keys(seen.summary).filter((key) =>
      ['rows', 'classes', 'labels', 'view', 'positive', 'columns', 'dropped', 'warnings'].includes(key),
    ).length,
    8,
  );
  assert.deepEqual(
    [seen.summary.columns[0].name, seen.summary.columns[0].role, seen.summary.columns[0].shape],
    ['label', 'label', [120]],
  );
  assert.equal(seen.report.schema, 'localcal-report/1');
  assert.equal(seen.report.methods[0].id, 'none');
  assert.ok(seen.count > 1);
  assert.equal(seen.last.done, seen.last.total);
  assert.deepEqual(
    seen.blobs.map(({ type }) => type),
    ['text/csv', 'application/json', 'application/json', 'image/svg+xml', 'application/pdf', 'image/png'],
  );
  assert.ok(
    seen.blobs.every(({ size }) => size > 50),
    JSON.stringify(seen.blobs),
  );
  assert.ok('error' in seen.later);
  assert.deepEqual([seen.later.error, seen.later.code], [true, 'closed']);
});

spec('another run takes nothing away from the questions about the one before', {}, async ({ page }) => {
  const told = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true });
    await data.run({ resamples: 0 });
    const ask = () => data.analyse('finding', { parts: ['overall', 'whom'] });
    const alone = await ask();
    const many = await Promise.all(
      [0, 1, 2, 3].flatMap((seed) => [data.run({ resamples: 0, seed }), ask(), data.analyse('decide'), ask()]),
    );
    const sentences = many.flatMap((one) => ('sentence' in one && one.sentence ? [one.sentence] : []));
    const blob = data.export('predictions');
    await data.run({ resamples: 0, methods: ['none'] });
    return { alone: alone.sentence, sentences, size: (await blob).size };
  }, file);
  assert.ok(told.sentences.length >= 8 && told.size > 50, JSON.stringify(told));
  assert.deepEqual([...new Set(told.sentences)], [told.alone]);
});

spec('a question right after opening is about the run that the page has begun', {}, async ({ page }) => {
  const plans = await page.evaluate(async ({ name, text }) => {
    /** @type {number[]} */
    const requests = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan') requests.push(message.job.request.methods?.length ?? 0);
      return post.call(this, message, transfer);
    };
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    await Promise.all([data.analyse('decide'), data.export('predictions')]);
    return requests;
  }, file);
  assert.deepEqual(plans, [1], 'one run, with the methods of the page');
});

spec('figures of a question are exported as those of a run are', {}, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    const chart = async (/** @type {any} */ options) => (await data.export('chart', options)).text();
    const asked = { analysis: 'decide', options: { miss: 4 } };
    const screen = await chart(asked);
    const column = await chart({ ...asked, figure: 1, theme: 'print', width_mm: 85 });
    const page = await chart({ ...asked, figure: 1, theme: 'print', width_mm: 85, format: 'pdf' });
    const png = await data.export('chart', { ...asked, format: 'png' });
    const none = await chart({ ...asked, figure: 99 }).then(
      () => null,
      ({ code }) => code,
    );
    data.close();
    return { screen, column, page, png: [png.type, png.size > 1000], none };
  }, file);
  assert.ok(seen.screen.startsWith('<svg') && seen.screen.includes('net benefit'));
  assert.ok(seen.column.includes('width="85mm"') && seen.column.includes('fill="#ffffff"'));
  assert.ok(seen.page.startsWith('%PDF-1.4') && seen.page.includes('/MediaBox [0 0 240.94 '), 'a page of 85 mm');
  assert.deepEqual(seen.png, ['image/png', true]);
  assert.equal(seen.none, 'invalid_option');
});

spec('no NaN reaches a script', {}, async ({ page }) => {
  const text = await page.evaluate(async ({ name, text: csv }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(csv) }]);
    const walk = (/** @type {any} */ value) =>
      typeof value === 'number'
        ? Number.isFinite(value)
        : value === undefined
          ? false
          : value === null ||
            typeof value !== 'object' ||
            (!ArrayBuffer.isView(value) && Object.values(value).every(walk));
    return walk(await data.run());
  }, file);
  assert.equal(text, true);
});

spec('a number that is not finite withholds nothing by being lost on the way', {}, async ({ page }) => {
  const told = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true });
    const code = (/** @type {Promise<any>} */ call) =>
      call.then(
        () => 'answered',
        (error) => error.code,
      );
    const any = /** @type {any} */ (null);
    const seen = [];
    for (const suppress of [NaN, Infinity, -Infinity, '', 0]) {
      for (const kind of ['report', 'session', 'calibrator', 'table'])
        seen.push(await code(data.export(kind, { suppress })));
      const watch = /** @type {any} */ ({ suppress });
      seen.push(await code(data.analyse('decide', {}, watch)));
      seen.push(await code(data.export('chart', { analysis: 'decide', suppress })));
    }
    seen.push(await code(data.run({ seed: NaN })));
    seen.push(await code(data.analyse('decide', any)));
    seen.push(await code(data.run(any)));
    seen.push(await code(localcal.open(/** @type {any} */ ([{ name: 'a.csv' }]), { beside: true })));
    return seen;
  }, file);
  assert.deepEqual([...new Set(told)], ['invalid_option'], told.join(' '));
});

spec('failures are errors with a code, a message and a hint', {}, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const bytes = new TextEncoder().encode(text);
    const caught = (/** @type {Promise<any>} */ call) =>
      call.then(
        () => null,
        (error) => ({ error: error instanceof Error, code: error.code, message: error.message, hint: error.hint }),
      );
    const data = await localcal.open([{ name, bytes }]);
    return [
      await caught(localcal.open([{ name, bytes }], /** @type {any} */ ({ nonsense: 1 }))),
      await caught(localcal.open([{ name, bytes }], /** @type {any} */ ({ positive: () => 1 }))),
      await caught(localcal.open([{ name: 'none.csv', bytes: new Uint8Array(0) }])),
      await caught(data.run({ metrics: ['no_such_metric'] })),
    ];
  }, file);
  assert.deepEqual(
    seen.map((one) => one?.code),
    ['invalid_option', 'invalid_option', 'empty', 'unknown_metric'],
  );
  for (const one of seen) assert.ok(one?.error && one.message.length > 10 && one.hint.length > 5, JSON.stringify(one));
});

spec('a further data set that was closed, or is none, is named as the reason', {}, async ({ page }) => {
  const codes = await page.evaluate(async ({ name, text }) => {
    const bytes = new TextEncoder().encode(text);
    const [data, other] = await Promise.all([0, 1].map(() => localcal.open([{ name, bytes }], { beside: true })));
    const code = (/** @type {any} */ others, /** @type {() => void} */ meanwhile = () => {}) => {
      const call = data.analyse('models', { others });
      meanwhile();
      return call.then(
        () => 'answered',
        (error) => error.code,
      );
    };
    return [
      await code([other]),
      await code([{}]),
      await code([other], () => other.close()),
      await code([other]),
      await code([other], () => data.close()),
    ];
  }, file);
  assert.deepEqual(codes, ['answered', 'invalid_option', 'closed', 'closed', 'closed']);
});

spec('the page shows what a script opens', {}, async ({ page }) => {
  await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    await data.run();
  }, file);
  await openedAs(page, 'script.csv', 120);
  await found(page);
});
