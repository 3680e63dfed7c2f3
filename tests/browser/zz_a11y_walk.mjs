import { start, pick, rest, found, goTo, ask, kinds, shot, OUT } from './zz_a11y_lib.mjs';
import { writeFileSync } from 'node:fs';
const [, , file, tag, only] = process.argv;
const { browser, page } = await start();
await pick(page, file.split(','));
await page.waitForSelector('#views');
await page.waitForTimeout(500);
if (await page.locator('#data h1.wanting').count()) { console.log('WANTING', await page.locator('#data h1').innerText()); await shot(page, `${tag}-wanting`); const yes = page.locator('#data button.primary').first(); console.log(await yes.innerText()); await yes.click(); }
await found(page).catch(() => console.log('no finding')); await rest(page);
await shot(page, `${tag}-finding`);
let text = '';
const note = async (name) => { text += `\n##### ${name}\n` + await page.locator('main').innerText(); text += '\nALTS:\n' + (await page.locator('main canvas[aria-label]').evaluateAll((all) => all.filter((c) => !c.hidden).map((c) => '- ' + c.getAttribute('aria-label')).join('\n'))) + '\n'; };
await note('finding');
for (const view of ['data', 'report']) { await goTo(page, view); await rest(page); await shot(page, `${tag}-${view}`); await note(view); }
await goTo(page, 'explore'); await rest(page);
const all = await kinds(page); console.log(all.join(', '));
for (const k of all) {
  if (k.includes('lacks')) continue;
  if (only && !only.split(',').includes(k)) continue;
  const t0 = Date.now();
  await ask(page, k); await rest(page, 40000);
  const startB = page.locator('.start'); if (await startB.count()) { console.log(k, 'start', await startB.first().innerText()); await startB.first().click(); await page.waitForTimeout(300); await rest(page, 60000); }
  await shot(page, `${tag}-x-${k}`); await note(k);
  // overflow check
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth); if (over > 0) console.log(k, 'overflow', over);
  console.log(k, Date.now() - t0);
}
writeFileSync(OUT + tag + '.txt', text);
await browser.close();
