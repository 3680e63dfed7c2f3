// Two pages measured in turn, round by round, on the same machine, so that a machine whose speed changes disturbs both alike:
// `node tests/browser/bench_against.mjs BEFORE.html NOW.html [PART OF A NAME] [ROUNDS]`. Prints a Markdown table.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ratios } from './bench_ratios.mjs';

const [before, now, only = '', rounds = '3'] = process.argv.slice(2);
if (before === undefined || now === undefined) throw new Error('Name two pages.');
const folder = mkdtempSync(join(tmpdir(), 'localcal-bench-'));

/** The rows of one page. @param {string} page */
function measured(page) {
  const json = join(folder, 'rows.json');
  const script = join(import.meta.dirname, 'bench.mjs');
  const { status } = spawnSync(process.execPath, [script, only, '--page', resolve(page), '--json', json], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`The benchmarks of ${page} ended with ${status}.`);
  return JSON.parse(readFileSync(json, 'utf8')).rows;
}

const all = [];
for (let round = 0; round < Number(rounds); round += 1) {
  // whoever is second finds the machine as the first one left it: they change places
  if (round % 2 === 0) {
    const first = measured(before);
    all.push({ before: first, now: measured(now) });
  } else {
    const first = measured(now);
    all.push({ before: measured(before), now: first });
  }
  console.error(`round ${round + 1} of ${rounds}`);
}
rmSync(folder, { recursive: true });

const ms = (/** @type {number} */ time) => `${time < 10 ? time.toFixed(1) : time.toFixed(0)}`;
console.log(`${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown processor'}, ${rounds} rounds in turn\n`);
console.log('| ms: best / median | before | now | ratio of the best | of the medians |\n|---|---:|---:|---:|---:|');
for (const row of ratios(all)) {
  const both = (/** @type {{ best: number, median: number }} */ side) => `${ms(side.best)} / ${ms(side.median)}`;
  console.log(
    `| ${row.what} | ${both(row.before)} | ${both(row.now)} | ${row.best.toFixed(2)} | ${row.median.toFixed(2)} |`,
  );
}
