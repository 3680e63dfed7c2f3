import { start, pick, rest, found, goTo, ask, shot, active } from './zz_a11y_lib.mjs';
const D = '/work/h_a11y/data/';
const { browser, page } = await start();
const K = (k) => page.keyboard.press(k);
const walk = async (n, label) => { console.log('== ' + label); const seen = []; for (let i = 0; i < n; i++) { await K('Tab'); const a = await active(page); seen.push(a); console.log('  ', a); if (a?.startsWith('body')) break; } return seen; };
await walk(14, 'first screen');
await pick(page, [D + "hospital.csv"]); await page.waitForSelector("#data h1.wanting"); console.log("asked; focus:", await (await import("./zz_a11y_lib.mjs")).active(page)); await page.locator("#data button.primary").first().click(); await page.waitForTimeout(800); await rest(page); console.log("view after Yes:", page.url().slice(-20)); await goTo(page, "finding"); await found(page); await rest(page);
console.log('after open', await active(page), '| title', await page.title());
await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
await walk(45, 'finding');
// subject choice
await page.focus('#subject .part[title^="Recalibration"]'); await K('Enter'); await page.waitForTimeout(200); console.log('choice opened', await active(page));
await K('ArrowDown'); await page.waitForTimeout(300); console.log('arrow', await active(page)); await rest(page); console.log('after run', await active(page));
await K('Escape'); await page.waitForTimeout(200); console.log('esc', await active(page), await page.locator('#subject .part[title^="Recalibration"]').innerText());
await K('Control+z'); await page.waitForTimeout(300); await rest(page); console.log('undo', await page.locator('#subject .part[title^="Recalibration"]').innerText(), 'live:', await page.locator('#live').innerText(), await active(page));
// model switch by keyboard (reopens file)
await page.focus('#subject .part[title^="Model"]'); await K('Enter'); await page.waitForTimeout(200); console.log('model choice', await active(page)); await K('ArrowDown'); await page.waitForTimeout(300); console.log('arrowed', await active(page)); await rest(page); await page.waitForTimeout(500); console.log('after reopen', await active(page), await page.locator('#subject .part').first().innerText()); await K('Escape'); await page.waitForTimeout(200); console.log('esc', await active(page));
await goTo(page, 'data'); await rest(page); await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
await walk(40, 'data');
// change role by keyboard
await page.focus('select[aria-label="Role of bmi"]'); await page.selectOption('select[aria-label="Role of bmi"]', 'ignore'); await page.waitForTimeout(200); await rest(page); console.log('after role', await active(page));
await goTo(page, 'explore'); await ask(page, 'map'); await rest(page);
console.log('after link click', await active(page));
await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
await walk(75, 'explore map');
await page.focus('[data-sheet="map"] canvas'); await K('ArrowRight'); await page.waitForTimeout(200); console.log('mark', await page.locator('#live').innerText()); await K('ArrowRight'); console.log('mark', await page.locator('#live').innerText()); await K('+'); await rest(page); console.log('zoomed', await active(page)); await K('Escape'); await K('0');
await goTo(page, 'report'); await rest(page); await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
await walk(50, 'report');
console.log(JSON.stringify(await page.evaluate(() => [...document.querySelectorAll('h1,h2,h3')].filter((h) => h.getClientRects().length).map((h) => h.tagName + ' ' + h.textContent.slice(0, 50)))));
await browser.close();
