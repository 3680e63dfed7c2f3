// Unit tests of the page's own parts: every www/**/*.test.ts, bundled into a folder of its own and run by node's runner.
// `node www/test.mjs store` runs those whose path holds the word.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const [word = ''] = process.argv.slice(2);
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && path.includes(word))
  .sort();
if (sources.length === 0) throw new Error(`no test of the page has “${word}” in its path`);
/** What the page's parts look at when they are read: a page with nothing on it. */
const page = `
globalThis.window ??= globalThis;
globalThis.location ??= new URL('http://localhost/');
globalThis.history ??= { replaceState() {}, pushState() {} };
globalThis.navigator ??= { hardwareConcurrency: 1 };
globalThis.addEventListener ??= () => {};
globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {}, removeEventListener() {} });
globalThis.document ??= {
  readyState: 'complete',
  addEventListener() {},
  getElementById: () => null,
  querySelector: () => null,
  querySelectorAll: () => [],
};
`;
const folder = mkdtempSync(join(tmpdir(), 'localcal-'));
try {
  const { metafile } = await build({
    entryPoints: sources.map((path) => join(import.meta.dirname, path)),
    outdir: folder,
    outbase: import.meta.dirname,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { VERSION: '"test"' },
    sourcemap: 'inline',
    banner: { js: page },
    metafile: true,
  });
  const tests = Object.keys(metafile.outputs);
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...tests], {
    stdio: 'inherit',
    cwd: dirname(import.meta.dirname),
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
