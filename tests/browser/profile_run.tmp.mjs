// where the time of a run goes: page -> worker -> page, per job
import { chromium } from 'playwright-core';
import { pathToFileURL } from 'node:url';
import { binaryCsv, launching } from './launch.mjs';
const [file, rows = '25000', asked = '{"evaluate_on":"all","resamples":0,"metrics":["mlce"],"local":{"features":["x1","x2"],"gamma":0.05}}'] = process.argv.slice(2);
const browser = await chromium.launch(launching);
const page = await (await browser.newContext()).newPage();
await page.addInitScript({ content: `globalThis.binaryCsv = ${binaryCsv};
 globalThis.trace = [];
 { const { postMessage } = Worker.prototype; Worker.prototype.postMessage = function (m, ...r) { const t = performance.now(); const x = postMessage.call(this, m, ...r); trace.push(['>', m.kind, m.id ?? m.key, t, performance.now() - t, (m.packed?.byteLength ?? 0), (m.columns ?? []).reduce((s, c) => s + c.byteLength, 0)]); return x; };
   const d = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
   Object.defineProperty(Worker.prototype, 'onmessage', { configurable: true, get() { return d.get.call(this); }, set(f) { d.set.call(this, f && ((e) => { const t = performance.now(); const data = e.data; const t1 = performance.now(); if (data.progress === undefined) trace.push(['<', JSON.stringify(data.outcome)?.length, data.id, t, t1 - t, data.packed?.byteLength, (data.columns ?? []).reduce((s, c) => s + c.byteLength, 0), data.took]); f(e); })); } }); }` });
await page.goto(pathToFileURL(file).href + '#workers=2', { waitUntil: 'commit' });
await page.waitForFunction(() => 'localcal' in window);
const cdp = await page.context().newCDPSession(page); await cdp.send('Profiler.enable'); await cdp.send('Profiler.setSamplingInterval', { interval: 200 });
await page.evaluate(() => localcal.ready); await cdp.send('Profiler.start');
const out = await page.evaluate(async ([rows, asked]) => {
  await localcal.ready;
  const data = await localcal.open([{ name: 'b.csv', bytes: new TextEncoder().encode(binaryCsv(+rows)) }]);
  const times = []; let last;
  for (let i = 0; i < 12; i += 1) { trace.length = 0; const s = performance.now(); await data.run(JSON.parse(asked)); const e = performance.now(); times.push(e - s); if (last === undefined || e - s < last.total) last = { total: e - s, trace: trace.map((t) => [t[0], t[1], t[2], +(t[3] - s).toFixed(1), ...t.slice(4).map((x) => x === undefined ? x : +x.toFixed(2))]) }; }
  return { times, last };
}, [rows, asked]);
const { profile } = await cdp.send('Profiler.stop');
{ const self = new Map(); const total = new Map(); const byId = new Map(profile.nodes.map((n) => [n.id, n])); const parent = new Map(); for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id); profile.samples.forEach((id, i) => { const dt = profile.timeDeltas[i] / 1000; const name = (n) => `${n.callFrame.functionName || '?'}:${n.callFrame.lineNumber}`; const n = byId.get(id); self.set(name(n), (self.get(name(n)) ?? 0) + dt); const seen = new Set(); for (let x = id; x; x = parent.get(x)) { const m = name(byId.get(x)); if (!seen.has(m)) { seen.add(m); total.set(m, (total.get(m) ?? 0) + dt); } } }); const top = (m) => [...m].sort((a, b) => b[1] - a[1]).slice(0, 22).map(([k, v]) => `${v.toFixed(0)} ${k}`).join('\n'); console.log('SELF\n' + top(self) + '\nTOTAL\n' + top(total)); }
console.log(out.times.map((t) => t.toFixed(0)).join(' '));
console.log('best', out.last.total.toFixed(1)); for (const t of out.last.trace) console.log(t.join('\t'));
await browser.close();
