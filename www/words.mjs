// What people read says nothing in retired words: README, docs, and the texts of the page (string literals and JSX).
// `node www/words.mjs [FILE …]` names file, line, term and what to write; code in documents and generated tables are not
// read.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as babel from 'prettier/plugins/babel';

/** @type {[RegExp, string][]} */
const RETIRED = [
  [/\bhow far off\b|\bfar off\b|\b(?:is|are|was|were) off\b/i, 'error; miscalibrated'],
  [/\b(?:hardly by|more than|beyond|within) chance\b/i, 'statistically significant; not significant'],
  [/\bfour times in five\b|\bout of 20\b/i, '80% power; 95%'],
  [/\bmend(?:s|ed|ing)?\b|\brepair(?:s|ed|ing)?\b/i, 'recalibration; recalibrated; corrected'],
  [/\bslices?\b/i, 'subgroup'],
  [/\balike\b/i, 'similar; equally'],
  [/\bfor whom\b/i, 'subgroups'],
  [/\b(?:some|every|no)body\b/i, 'name the subject'],
  [/\btoo (?:low|high)\b/i, 'underestimated; overestimated'],
  [/\bas they are\b/i, 'original predictions'],
  [/\btold\b|\btells? apart\b|\btelltale\b/i, 'reported; distinguished'],
  [/\bhangs? on\b/i, 'depends on'],
  [/\bstands? (?:in|at|beside|below|beneath|on|there)\b/i, 'is in; appears in'],
  [/\bhappen(?:s|ed)?\b/i, 'observed; occurs'],
  [/\bat nought\b|\bspared\b|\bgiven away\b/i, 'at zero; true negatives; detected'],
  [/\btrust tests?\b/i, 'KLCE calibration test'],
  [/\blook(?:s|ed)? (?:at )?everywhere\b/i, 'tested; adjusted for all comparisons'],
  [/\bheld against\b/i, 'compared with'],
  [/\d[  ]%/, 'no space before %'],
  [/\d … [+−\d]/, 'a range takes “to”'],
  [
    /\b(?:colour|neighbour|behaviour|centre[ds]?\b|grey\b|licence|\w+(?:al|ard|in|im|ogn)is(?:e[ds]?|ing)\b)/i,
    'American spelling',
  ],
];
/** What may stand nevertheless, and why. @type {[file: RegExp, text: RegExp, why: string][]} */
const ALLOWED = [[/./, /where, and for whom/i, 'the tagline']];

/** Where a pattern is in a text, from and to. @param {RegExp} pattern @param {string} text */
const places = (pattern, text) =>
  [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map((hit) => [hit.index, hit.index + hit[0].length]);

/** Retired terms, except those that lie within what may stand: the rest of its line is read like any other.
 * @param {string} file @param {number} line @param {string} text */
function faults(file, line, text) {
  const allowed = ALLOWED.flatMap(([of, says]) => (of.test(file) ? places(says, text) : []));
  const stands = (/** @type {number[]} */ [from, to]) => allowed.some(([a, b]) => a <= from && to <= b);
  return RETIRED.flatMap(([term, write]) => {
    const [hit] = places(term, text).filter((hit) => !stands(hit));
    return hit ? [`${file}:${line}: “${text.slice(...hit)}” → ${write}`] : [];
  });
}

/** Prose of a document: without code, addresses and generated tables. @param {string} file */
function document(file) {
  const text = readFileSync(file, 'utf8')
    .replace(/<!-- (?!end)[\s\S]*?<!-- end.*?-->|```[\s\S]*?```/g, (part) => part.replace(/[^\n]/g, ' '))
    .replace(/`[^`]*`|\]\([^)]*\)/g, (part) => part.replace(/[^\n]/g, ' '));
  return text.split('\n').flatMap((line, i) => faults(file, i + 1, line));
}

/** Texts of a source file. @param {string} file */
async function source(file) {
  const code = readFileSync(file, 'utf8');
  const parser = babel.parsers['babel-ts'];
  const tree = await parser.parse(code, /** @type {any} */ ({ filepath: file }));
  /** @type {string[]} */
  const found = [];
  /** @param {any} node */
  const visit = (node) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (/^(?:ImportDeclaration|TSLiteralType)$/.test(node.type)) return;
    if (node.type === 'JSXAttribute' && /^(?:class|id|d|name)$/.test(node.name?.name)) return;
    // search terms: people type retired words, too
    if (node.type === 'ObjectProperty' && node.key.name === 'terms') return;
    if (node.type === 'VariableDeclarator' && node.id.name === 'TERMS') return;
    const text = /^(?:StringLiteral|JSXText)$/.test(node.type) ? node.value : node.value?.cooked;
    // one word in lower case is a name of something in the code
    if (typeof text === 'string' && /[A-Z]|\S \S/.test(text.trim()))
      found.push(...faults(file, node.loc.start.line, text));
    for (const [key, value] of Object.entries(node))
      if (!/^(?:loc|range|comments|extra|errors)$/.test(key)) visit(value);
  };
  visit(/** @type {any} */ (tree).program ?? tree);
  return found;
}

const inFolder = (/** @type {string} */ folder, /** @type {RegExp} */ which) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => which.test(path))
    .map((path) => join(folder, path));
const named = process.argv.slice(2);
const isSource = (/** @type {string} */ path) => /\.tsx?$/.test(path);
const documents = ['README.md', 'index.html', ...inFolder('docs', /^[^/]*\.md$/)];
const sources = inFolder('www', /^(?!pkg|node_modules)(?!.*(?:\.test|\.d)\.ts).*\.tsx?$/);
const read = named.length > 0 ? named : [...documents, ...sources];
const found = (await Promise.all(read.map((file) => (isSource(file) ? source(file) : document(file))))).flat();
for (const fault of found) console.error(fault);
console.log(`words: ${read.length} files, ${found.length} retired words`);
process.exitCode = found.length > 0 ? 1 : 0;
