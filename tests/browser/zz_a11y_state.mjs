import { start, pick, rest, found, goTo, ask, shot, active } from './zz_a11y_lib.mjs';
import { writeFileSync } from 'node:fs';
const D = '/work/h_a11y/data/';
const { browser, ctx, page } = await start();
const h1 = () => page.locator('#view h1').first().innerText().catch(() => '(none)');
const log = async (name) => console.log(`${name} | ${await page.evaluate(() => location.hash.slice(0, 260))} | title=${await page.title()} | h1=${(await h1()).slice(0, 110)} | alerts=${(await page.locator('#alerts').innerText()).slice(0, 200)} | left=${await page.locator('#left-out').allInnerTexts()}`);
await pick(page, [D + "hospital.csv"]); await page.waitForSelector("#data h1.wanting"); console.log("asked; focus:", await (await import("./zz_a11y_lib.mjs")).active(page)); await page.locator("#data button.primary").first().click(); await page.waitForTimeout(800); await rest(page); console.log("view after Yes:", page.url().slice(-20)); await goTo(page, "finding"); await found(page); await rest(page); await log('open');
// quick settings while running
for (const m of ['Platt', 'Isotonic', 'Beta', 'Temperature']) { await page.click('#subject .part[title^="Recalibration"]'); await page.locator('#subject .choices:not([hidden]) label', { hasText: m }).first().click(); }
await goTo(page, 'explore'); await goTo(page, 'report'); await goTo(page, 'finding'); await goTo(page, 'explore'); await rest(page); await log('after quick');
console.log('part', await page.locator('#subject .part[title^="Recalibration"]').innerText());
await ask(page, 'groups'); await rest(page); console.log('groups reading', await page.locator('[data-sheet="groups"] .reading').first().innerText(), '| table has', (await page.locator('[data-sheet="groups"]').innerText()).slice(0, 300));
await ask(page, 'over_time'); await ask(page, 'sites'); await ask(page, 'klce'); await page.keyboard.press('Escape'); await rest(page); await log('esc in klce'); console.log((await page.locator('[data-sheet="klce"]').innerText()).slice(0, 200));
await page.goBack(); await rest(page); await log('back'); await page.goBack(); await rest(page); await log('back2'); await page.goForward(); await rest(page); await log('forward');
for (let i = 0; i < 5; i++) { await page.keyboard.press('Control+z'); await page.waitForTimeout(150); } await rest(page); await log('undo5'); console.log('part', await page.locator('#subject .part[title^="Recalibration"]').innerText());
for (let i = 0; i < 5; i++) { await page.keyboard.press('Control+Shift+z'); await page.waitForTimeout(150); } await rest(page); console.log('redo part', await page.locator('#subject .part[title^="Recalibration"]').innerText());
// second file
await pick(page, [D + 'animals.csv']); await page.waitForTimeout(1500); await rest(page); await log('second file'); console.log('subject', await page.locator('#subject').innerText());
if (await page.locator('#data h1.wanting').count()) console.log('wanting');
await page.keyboard.press('Control+z'); await page.waitForTimeout(1500); await rest(page); await log('undo to first'); console.log('subject', await page.locator('#subject').innerText());
// session save and reopen
await goTo(page, 'report'); await rest(page);
const w = page.waitForEvent('download'); await page.click('[data-take="session"]'); const d = await w; await d.saveAs('/work/h_a11y/session.json');
await pick(page, [D + 'answers.jsonl', '/work/h_a11y/session.json']); await page.waitForTimeout(1500); await rest(page); await log('session with other file');
await pick(page, [D + 'hospital.csv', '/work/h_a11y/session.json']); await page.waitForTimeout(1500); await rest(page); await log('session with same file'); console.log('subject', await page.locator('#subject').innerText());
const link = await page.evaluate(() => location.href);
await page.reload({ waitUntil: 'domcontentloaded' }); await page.evaluate(() => window.localcal.ready); await page.waitForTimeout(800); console.log('after reload', await page.locator('main').innerText().then((t) => t.slice(0, 300)), await page.evaluate(() => location.hash.slice(0, 200)));
await pick(page, [D + 'hospital.csv']); await page.waitForTimeout(1500); await rest(page); await log('reopened after reload'); console.log('subject', await page.locator('#subject').innerText());
// link with wrong
await page.goto('http://127.0.0.1:8917/localcal.html#view=explore&example=breast_cancer.csv&panel=groups&panels=%7B%22groups%22%3A%7B%22columns%22%3A%5B%22nope%22%5D%7D%2C%22map%22%3A%7B%22bin%22%3A99999%7D%7D&subject=%7B%22repair%22%3A%22platt%22%7D'); await page.reload(); await page.evaluate(() => window.localcal.ready); await page.waitForTimeout(2500); await rest(page); await log('bad link'); await shot(page, 'state-badlink');
// error file
await pick(page, ['/work/shared/data/heart.csv']); await page.waitForTimeout(1500); await rest(page); await log('no predictions'); await shot(page, 'state-heart-nop'); console.log('active', await active(page));
writeFileSync('/tmp/bad.csv', 'y,p\n1,0.2\n0,1.7\n1,abc\n0,0.3\n'); await pick(page, ['/tmp/bad.csv']); await page.waitForTimeout(1500); await rest(page); await log('bad file'); await shot(page, 'state-bad'); console.log('active', await active(page));
await page.keyboard.press('Escape'); await page.waitForTimeout(300); console.log('alerts after esc', await page.locator('#alerts').innerText());
await browser.close();
