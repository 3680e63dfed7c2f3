import { start, pick, rest, found, goTo, ask, shot, OUT } from './zz_a11y_lib.mjs';
import { mkdirSync } from 'node:fs';
const D = '/work/h_a11y/data/';
mkdirSync(OUT + 'ex', { recursive: true });
const { browser, ctx, page } = await start({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
await pick(page, [D + "hospital.csv"]); await page.waitForSelector("#data h1.wanting"); console.log("asked; focus:", await (await import("./zz_a11y_lib.mjs")).active(page)); await page.locator("#data button.primary").first().click(); await page.waitForTimeout(800); await rest(page); console.log("view after Yes:", page.url().slice(-20)); await goTo(page, "finding"); await found(page); await rest(page);
let n = 0;
const dl = async (loc, name) => { try { const w = page.waitForEvent('download', { timeout: 30000 }); await loc.click(); const d = await w; await d.saveAs(OUT + 'ex/' + (name ?? d.suggestedFilename())); console.log('saved', d.suggestedFilename()); } catch (e) { console.log('FAIL', name, String(e).slice(0, 120)); } if (++n % 8 === 0) await page.waitForTimeout(1500); };
// finding figures
await goTo(page, 'explore');
for (const k of ['groups', 'sites', 'over_time']) { await ask(page, k); await rest(page); await page.locator(`[data-sheet="${k}"] button`, { hasText: 'Add to report' }).click(); }
// apply recalibration
await page.click('#subject .part[title^="Recalibration"]'); await page.locator('#subject .choices:not([hidden]) label', { hasText: 'Platt' }).first().click(); await rest(page);
await goTo(page, 'report'); await rest(page); await shot(page, 'report-added');
const frame = page.frameLocator('#preview'); console.log((await frame.locator('body').innerText()).length);
for (const b of await page.locator('#report-files button').all()) {
  const t = (await b.innerText()).trim(); const attrs = await b.evaluate((e) => JSON.stringify(e.dataset)); console.log(t, attrs, await b.isDisabled());
  if (/Print/.test(t)) continue;
  if (/Copy/.test(t)) { await b.click(); await page.waitForTimeout(2500); await rest(page); console.log('  live', await page.locator('#live').innerText(), '| clip', await page.evaluate(async () => { const items = await navigator.clipboard.read(); return items[0].types.join(',') + ' ' + (await navigator.clipboard.readText()).slice(0, 300); }).catch((e) => String(e).slice(0, 100))); continue; }
  if (await b.isDisabled()) continue;
  await dl(b);
}
console.log('notes', await page.locator('#file-notes').innerText());
await browser.close();
