// Takes docs/finding.png, the picture of the README, of the built page: node tests/browser/picture.mjs

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { built, launching } from './launch.mjs';

const root = resolve(import.meta.dirname, '../..');
const browser = await chromium.launch(launching);
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(pathToFileURL(built).href);
await page.setInputFiles('#picker', resolve(root, 'tests/corpus/files/hospital.csv'));
await page.waitForSelector('.advice [data-take="repaired"]', { timeout: 120_000 });
await page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'));
await page.evaluate(() => /** @type {HTMLElement | null} */ (document.activeElement)?.blur());
await page.screenshot({ path: resolve(root, 'docs/finding.png') });
await browser.close();
