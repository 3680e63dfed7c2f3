import { start, pick, rest, found, goTo, ask, kinds, shot } from './zz_a11y_lib.mjs';
const D = '/work/h_a11y/data/';
const [, , file = 'hospital.csv', w = '320', h = '700', scheme = 'light'] = process.argv;
const { browser, page } = await start({ context: { viewport: { width: +w, height: +h }, colorScheme: scheme, reducedMotion: 'reduce' } });
const check = async (name) => {
  const bad = await page.evaluate(() => {
    const W = document.documentElement.clientWidth; const out = [];
    if (document.documentElement.scrollWidth > W) out.push('PAGE scrolls ' + document.documentElement.scrollWidth);
    for (const e of document.querySelectorAll('main *, header *, footer *')) {
      const r = e.getBoundingClientRect(); if (!r.width || !r.height) continue;
      const s = getComputedStyle(e); if (s.position === 'absolute' && r.width <= 1) continue;
      let p = e.parentElement, inScroll = false; while (p) { const ps = getComputedStyle(p); if (/(auto|scroll|hidden|clip)/.test(ps.overflowX) && p !== document.documentElement) { inScroll = true; break; } p = p.parentElement; }
      if (!inScroll && r.right > W + 1) out.push(`${e.tagName}.${e.className} right ${Math.round(r.right)} "${(e.textContent || '').slice(0, 30)}"`);
      if (e.scrollWidth > e.clientWidth + 1 && /(hidden|clip)/.test(s.overflowX) && s.textOverflow !== 'ellipsis' && e.clientWidth > 1) out.push(`CUT ${e.tagName}.${e.className} ${e.scrollWidth}>${e.clientWidth} "${(e.textContent || '').slice(0, 40)}"`);
    }
    return out.slice(0, 6);
  });
  if (bad.length) console.log(name, bad.join('\n     '));
};
await check('first'); await shot(page, `w${w}-${scheme}-first`);
await pick(page, file.split(',').map((f) => (f.startsWith('/') ? f : D + f))); await found(page); await rest(page);
await check('finding'); await shot(page, `w${w}-${scheme}-finding`);
for (const v of ['data', 'report']) { await goTo(page, v); await rest(page); await check(v); await shot(page, `w${w}-${scheme}-${v}`); }
await goTo(page, 'explore'); await rest(page);
for (const k of await kinds(page)) { if (k.includes('lacks') || ['bench', 'experiment', 'papers'].includes(k)) continue; await ask(page, k); await rest(page, 40000); const s = page.locator('.start'); if (await s.count()) { await s.first().click(); await rest(page); } await check(k); await shot(page, `w${w}-${scheme}-x-${k}`); }
await browser.close();
