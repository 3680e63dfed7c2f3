// Joins everything into one file: dist/localcal.html. Deterministic; fails rather than guess.
// The content security policy lists the hash of every script and style that the file holds, and nothing else.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = resolve(import.meta.dirname, '..');
const text = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
const bytes = (/** @type {string} */ path) => readFileSync(join(root, path));
/** @param {string} why @returns {never} */
function fail(why) {
  throw new Error(why);
}

/** Without comments that have lines of their own, casts of types, and indents: what only those who build the page read.
 * @param {string} script */
const bare = (script) => script.replace(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n/gm, '').replace(/\/\*\* @type \{[^*]*\} \*\/ ?/g, '').replace(/^[ \t]*\/\/.*\n/gm, '').replace(/^[ \t]+/gm, '');

/** Modules in the order of their dependencies, each in a scope of its own that returns its exports. @param {string} entry */
function joinModules(entry) {
  const joined = new Map();
  const visit = (/** @type {string} */ path, /** @type {string[]} */ above) => {
    if (joined.has(path)) return;
    if (above.includes(path)) fail(`modules import each other: ${[...above, path].join(' -> ')}`);
    /** @type {string[]} */
    const names = [];
    const body = bare(text(path))
      .replace(/^import \{([^}]*)\} from '(\.[^']+)';$/gm, (_, given, from) => {
        const target = relative(root, resolve(root, dirname(path), from));
        visit(target, [...above, path]);
        return `const {${given.replace(/ as /g, ': ')}} = modules['${target}'];`;
      })
      .replace(/^export ((?:async )?(?:function|const|class) (\w+))/gm, (_, rest, name) => (names.push(name), rest));
    const left = body.match(/^(import|export)\b.*$/m);
    if (left) fail(`${path}: this form is not joined: ${left[0]}`);
    joined.set(path, `modules['${path}'] = (() => {\n${body}\nreturn { ${names.join(', ')} };\n})();`);
  };
  visit(entry, []);
  return `(() => {\n'use strict';\nconst modules = {};\n${[...joined.values()].join('\n')}\n})();\n`;
}

const glue = bare(text('www/pkg/localcal.js'));
const forbidden = glue.match(/\beval\(|new Function/);
if (forbidden) fail(`the glue holds ${forbidden[0]}, which the policy forbids`);

const style = text('www/style.css').replace(/\/\*[^*]*\*\/\n?/g, '').replace(/^[ \t]+/gm, '');
const app = joinModules('www/app.js');
const worker = bare(text('www/worker.js'));
const hash = (/** @type {string} */ content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(glue)} ${hash(app)} 'wasm-unsafe-eval'`,
  'worker-src blob:',
  `style-src ${hash(style)}`,
  'img-src blob: data:',
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** The version in Cargo.toml. */
const version = text('Cargo.toml').match(/^version = "([^"]+)"$/m)?.[1] ?? fail('Cargo.toml names no version');
/** The day of the last commit, or what SOURCE_DATE_EPOCH says: the same sources give the same file on any day. */
const date = (() => {
  let seconds = process.env.SOURCE_DATE_EPOCH;
  try {
    seconds ??= execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return 'without a date';
  }
  return new Date(1000 * Number(seconds)).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
})();

const block = (/** @type {string} */ id, /** @type {string} */ content) => `<script type="text/plain" id="${id}">${content}</script>`;
const samples = readdirSync(join(root, 'www/sample')).filter((name) => /\.(csv|npz)$/.test(name)).sort();
const parts = {
  '<meta charset="utf-8">': `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  '<link rel="stylesheet" href="www/style.css">': `<style>${style}</style>`,
  '{{policy}}': policy,
  '{{version}}': version,
  '{{date}}': date,
  '<script src="www/app.js" type="module"></script>': [
    `<script id="glue">${glue}</script>`,
    `<script>${app}</script>`,
    block('worker', worker),
    block('unpack', bytes('www/pkg/unpack.wasm').toString('base64')),
    block('core', bytes('www/pkg/core.lzma').toString('base64')),
    ...samples.map((name) => block(`sample-${name}`, bytes(`www/pkg/${name}.lzma`).toString('base64'))),
  ].join('\n'),
};
for (const inlined of [glue, app, style, worker]) {
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
// what a reviewer compares a copy with: sha256sum --check localcal.html.sha256
const checksum = createHash('sha256').update(page).digest('hex');
writeFileSync(join(root, 'dist/localcal.html.sha256'), `${checksum}  localcal.html\n`);

const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(`dist/localcal.html: ${kilobytes(Buffer.byteLength(page))}, gzip ${kilobytes(gzipSync(page, { level: 9 }).length)}, SHA-256 ${checksum}`);
