// Joins everything into one file: dist/localcal.html. Deterministic; fails rather than guess.
// The content security policy lists the hash of every script and style that the file holds, and nothing else.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { listed, notices, packagesOf } from './notices.mjs';

const root = resolve(import.meta.dirname, '..');
const text = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
const bytes = (/** @type {string} */ path) => readFileSync(join(root, path));
/** @param {string} why @returns {never} */
function fail(why) {
  throw new Error(why);
}

/** The version in Cargo.toml. */
const version = text('Cargo.toml').match(/^version = "([^"]+)"$/m)?.[1] ?? fail('Cargo.toml names no version');
// source maps for who works on the page: the policy holds, the file grows
const sourcemap = process.argv.includes('--maps') ? 'inline' : false;
// names stay as they are, so that a fault names the function it happened in
const shorter = /** @type {const} */ ({
  charset: 'utf8',
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  target: 'es2022',
});
/** Files of which something is in the page. @type {string[]} */
const sources = [];
/** @param {string} path @returns {Promise<string>} */
const bundle = async (path) => {
  const { outputFiles, metafile } = await build({
    ...shorter,
    entryPoints: [join(root, path)],
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { VERSION: JSON.stringify(version) },
    tsconfigRaw: {}, // what the sources say is all there is to say
    sourcemap,
    write: false,
    metafile: true,
    absWorkingDir: root,
  });
  for (const { inputs } of Object.values(metafile.outputs))
    sources.push(...Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0));
  return outputFiles[0].text;
};
/** A script that stays one of the page's own scope, or a style.
 * @param {string} path @param {'js' | 'ts' | 'css'} [loader] */
const shortened = async (path, loader = 'js') => (await transform(text(path), { ...shorter, loader })).code;

const glue = await shortened('www/pkg/localcal.js');
const forbidden = glue.match(/\beval\(|new Function/);
if (forbidden) fail(`the glue holds ${forbidden[0]}, which the policy forbids`);

// what all views share, then each view's own
const styles = readdirSync(join(root, 'www'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.css') && path !== 'style.css')
  .sort();
for (const path of styles) if (!/^[a-z]+\/[a-z]+\.css$/.test(path)) fail(`www/${path} is no style sheet of a view`);
const sheets = ['style.css', ...styles].map((path) => shortened(`www/${path}`, 'css'));
const style = (await Promise.all(sheets)).join('');
const app = await bundle('www/app.tsx');
const worker = await shortened('www/engine/worker.ts', 'ts');
// begun with the first file that needs it
const tables = await bundle('www/tables/worker.ts');
const packages = packagesOf(root, sources);
const texts = notices(packages);
const hash = (/** @type {string} */ content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(glue)} ${hash(app)} 'wasm-unsafe-eval'`,
  'worker-src blob:',
  // that of the page, and that of the documents it shows
  `style-src ${hash(style)} ${hash(text('src/markup/report.css'))}`,
  'img-src blob: data:',
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** The day of the last commit, or what SOURCE_DATE_EPOCH says: the same sources give the same file on any day. */
const date = (() => {
  let seconds = process.env.SOURCE_DATE_EPOCH;
  try {
    seconds ??= execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return 'without a date';
  }
  return new Date(1000 * Number(seconds)).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
})();

const block = (/** @type {string} */ id, /** @type {string} */ content) =>
  `<script type="text/plain" id="${id}">${content}</script>`;
const gzip = (/** @type {string | Buffer} */ content) => gzipSync(content, { level: 9 });
/** Base64 of gzip, which browsers unpack. @param {string} id @param {Buffer} zipped */
const packed = (id, zipped) => block(id, zipped.toString('base64'));
/** The core as www/compress.mjs left it, if that was this core. */
function core() {
  const [path, content] = ['www/pkg/localcal_bg.wasm.gz', bytes('www/pkg/localcal_bg.wasm')];
  const zipped = existsSync(join(root, path)) ? bytes(path) : null;
  return zipped && gunzipSync(zipped).equals(content) ? zipped : gzip(content);
}
const samples = readdirSync(join(root, 'www/sample'))
  .filter((name) => /\.(csv|npz)$/.test(name))
  .sort();
const parts = {
  '<meta charset="utf-8">': `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  '<link rel="stylesheet" href="www/style.css">': `<style>${style}</style>`,
  '{{policy}}': policy,
  '{{version}}': version,
  '{{date}}': date,
  '<script src="www/app.tsx" type="module"></script>': [
    `<script id="glue">${glue}</script>`,
    `<script>${app}</script>`,
    block('worker', worker),
    packed('core', core()),
    packed('tables', gzip(tables)),
    block('notices', texts),
    ...samples.map((name) => packed(`sample-${name}`, gzip(bytes(`www/sample/${name}`)))),
  ].join('\n'),
};
for (const inlined of [glue, app, style, worker, texts]) {
  const end = inlined.match(/<\/(script|style)|<!--/i);
  if (end) fail(`inlined text holds ${end[0]}`);
}

let page = text('index.html').replace(/^[ \t]+/gm, '');
for (const [, name] of page.matchAll(/data-sample="([^"]+)"/g)) {
  if (name !== 'synthetic.csv' && !samples.includes(name)) fail(`the example www/sample/${name} is missing`);
}
for (const [mark, part] of Object.entries(parts)) {
  if (page.split(mark).length !== 2) fail(`index.html must hold ${mark} exactly once`);
  page = page.replace(mark, () => part);
}
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist/localcal.html'), page);
// for the list of what is in a release
writeFileSync(join(root, 'dist/packages.txt'), listed(packages));
// what a reviewer compares a copy with: sha256sum --check localcal.html.sha256
const checksum = createHash('sha256').update(page).digest('hex');
writeFileSync(join(root, 'dist/localcal.html.sha256'), `${checksum}  localcal.html\n`);

const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(
  `dist/localcal.html: ${kilobytes(Buffer.byteLength(page))}, gzip ${kilobytes(gzip(page).length)}, SHA-256 ${checksum}`,
);
