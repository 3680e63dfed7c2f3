// Files of the page import each other one way: none imports, by whatever way round, what imports it.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const FOLDER = 'www';
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|\.d\.ts$/.test(path) && !path.startsWith('pkg'))
  .map((path) => path.replaceAll('\\', '/'));

/** Files that a text imports, as they are named below the folder; types alone count, too. */
function importedBy(path: string, text: string): string[] {
  const named = text.matchAll(/\bfrom '(\.{1,2}\/[^']+)'|\bimport\(\s*'(\.{1,2}\/[^']+)'|^import '(\.{1,2}\/[^']+)'/gm);
  return [...named].flatMap(([, from, whenNeeded, forEffect]) => {
    const other = join(dirname(path), from ?? whenNeeded ?? forEffect)
      .replaceAll('\\', '/')
      .replace(/\.js$/, '');
    return sources.filter((source) => source.replace(/\.tsx?$/, '') === normalize(other));
  });
}

/** Every circle once, from its first file. */
function circles(imports: Map<string, string[]>): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  function visit(path: string, way: string[]) {
    const begins = way.indexOf(path);
    if (begins >= 0) return void found.add([...way.slice(begins), path].join(' → '));
    if (done.has(path)) return;
    for (const other of imports.get(path) ?? []) visit(other, [...way, path]);
    done.add(path);
  }
  [...imports.keys()].sort().forEach((path) => visit(path, []));
  return [...found];
}

test('no file imports what imports it', () => {
  const imports = new Map(sources.map((path) => [path, importedBy(path, readFileSync(join(FOLDER, path), 'utf8'))]));
  const arrows = [...imports.values()].flat().length;
  assert.ok(arrows > 500, `only ${arrows} imports were found`);
  assert.deepEqual(circles(imports), []);
});

test('a circle is named with its files', () => {
  const of = (arrows: Record<string, string[]>) => circles(new Map(Object.entries(arrows)));
  assert.deepEqual(of({ a: ['b'], b: ['c'], c: ['b', 'd'], d: [] }), ['b → c → b']);
  assert.deepEqual(of({ a: ['b', 'c'], b: ['c'], c: [] }), []);
});
