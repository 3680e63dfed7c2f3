// The built page, the browser, and a file to open: what specs and measurements share.

import { resolve } from 'node:path';

export const built = resolve(import.meta.dirname, '../../dist/localcal.html');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** What a browser without a person does not need, or what asks the network. The last such list is the one that holds: what
 * Playwright's own contains of these is said again. */
const without = [
  // two further processes for the address bar of every window, a second of processor time
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'Translate',
];
export const launching = {
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${without.join(',')}`,
  ],
  headless: true,
};

/** Numbers between 0 and 1, the same ones for the same seed. @param {number} seed */
export function random(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** A small binary file: `rows` rows of label, p, x1 … xd, seeded. @param {number} rows */
export function binaryCsv(rows, seed = 1, d = 2) {
  const next = random(seed);
  const lines = Array.from({ length: rows }, () => {
    const p = next();
    const label = next() < p ? 1 : 0;
    const places = Array.from({ length: d }, () => next().toFixed(6));
    return `${label},${p.toFixed(6)},${places.join(',')}`;
  });
  const names = Array.from({ length: d }, (_, i) => `x${i + 1}`);
  return `label,p,${names.join(',')}\n${lines.join('\n')}\n`;
}
