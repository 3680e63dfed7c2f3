import { createRequire } from 'node:module';
import { chromium, firefox } from 'playwright-core';
export const OUT = '/work/h_a11y/';
export async function start({ engine = 'chromium', url = 'http://127.0.0.1:8917/localcal.html', hash = '', context = {}, init } = {}) {
  const browser = engine === 'chromium'
    ? await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync', '--no-first-run', '--disable-component-update'] })
    : await firefox.launch({ executablePath: '/usr/bin/firefox-esr' });
  const ctx = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...context });
  const page = await ctx.newPage();
  page.setDefaultTimeout(45000);
  page.on('pageerror', (e) => console.log('PAGEERROR', String(e).slice(0, 400)));
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log('CONSOLE', m.type(), m.text().slice(0, 300)));
  if (init) await page.addInitScript(init);
  await page.goto(url + hash, { waitUntil: 'domcontentloaded' });
  await page.evaluate(() => window.localcal.ready);
  return { browser, ctx, page };
}
export const pick = (page, files) => page.setInputFiles('#picker', files);
export const calm = (page, most = 60000) => page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li') && !document.querySelector('[aria-busy="true"]'), undefined, { timeout: most }).catch(() => console.log('NOT CALM'));
export const rest = async (page, most) => { for (let i = 0; i < 3; i++) { await page.waitForTimeout(250); await calm(page, most); } };
export const found = (page) => page.waitForSelector('#finding[aria-busy="false"] h1');
export const goTo = (page, view) => page.click(`#views a[href="#view=${view}"]`);
export async function ask(page, kind) {
  if (!(await page.locator('.questions').isVisible())) await goTo(page, 'explore');
  await page.waitForSelector('.questions');
  const folded = page.locator('.questions > details:not([open]) > summary');
  if (await folded.count()) await folded.click();
  await page.click(`.questions [data-question="${kind}"]`);
  await page.waitForSelector(`[data-sheet="${kind}"]`);
}
export const kinds = (page) => page.locator('.questions [data-question]').evaluateAll((all) => all.map((one) => one.dataset.question + (one.classList.contains('lacks') ? ' (lacks)' : '')));
export const shot = (page, name, full = true) => page.screenshot({ path: OUT + name + '.png', fullPage: full });
export const active = (page) => page.evaluate(() => { const e = document.activeElement; if (!e) return null; const r = e.getBoundingClientRect(); const name = e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent || ''; return `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''}${e.className && typeof e.className === 'string' ? '.' + e.className.trim().split(/\s+/).join('.') : ''} "${name.trim().slice(0, 60)}" @${Math.round(r.x)},${Math.round(r.y)} ${Math.round(r.width)}x${Math.round(r.height)} fv=${e.matches(':focus-visible')} role=${e.getAttribute('role') ?? ''}`; });
export const text = (page, sel) => page.locator(sel).allInnerTexts();
