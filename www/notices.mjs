// Notices of the npm packages that are in the page: their licenses ask that copyright and text go with every copy.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A package in the page, the holders of its copyright, and the text of its license without them.
 * @typedef {{ name: string, version: string, license: string, holders: string[], text: string }} Package */

/** The folders of packages from which files came. @param {Iterable<string>} paths @returns {string[]} */
const folders = (paths) => {
  const found = [...paths].flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  return [...new Set(found)];
};

/** Holders and text of a license; line breaks within a paragraph and a title say nothing.
 * @param {string} license */
export function parts(license) {
  const paragraphs = license.split(/\n\s*\n/).map((one) => one.replace(/\s+/g, ' ').trim());
  const holds = (/** @type {string} */ one) => /^copyright /i.test(one);
  const title = (/** @type {string} */ one) => /^(the )?mit license( \(mit\))?$/i.test(one);
  const text = paragraphs.filter((one) => one && !holds(one) && !title(one)).join('\n\n');
  return { holders: paragraphs.filter(holds), text };
}

/** @param {string} folder @returns {Package} */
function packageIn(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (file) return { name, version, license, ...parts(readFileSync(join(folder, file), 'utf8')) };
  // some packages name their license and hold no text: it is that of the others under the same one
  const by = String(author?.name ?? author ?? `authors of ${name}`).replace(/\s*<.*/, '');
  return { name, version, license, holders: [`Copyright (c) ${by}`], text: '' };
}

/** The packages of bundles, by name. @param {string} root @param {Iterable<string>} paths @returns {Package[]} */
export const packagesOf = (root, paths) => {
  const found = folders(paths).map((folder) => packageIn(join(root, folder)));
  const by = (/** @type {Package} */ one) => `${one.name} ${one.version}`;
  return found.sort((a, b) => (by(a) < by(b) ? -1 : 1));
};

/** One line a package, as the list of dependencies of a release has it. @param {Package[]} packages */
export const listed = (packages) =>
  packages.map(({ name, version, license }) => `${name} v${version} ${license}\n`).join('');

/** The notices of the page: every package with its holders, and every text once. @param {Package[]} packages */
export function notices(packages) {
  const texts = new Map(packages.filter(({ text }) => text).map(({ license, text }) => [text, license]));
  for (const { name, license } of packages)
    if (![...texts.values()].includes(license)) throw new Error(`${name} holds no text of its license, ${license}`);
  const lines = packages.map(({ name, version, license, holders }) =>
    [`${name} ${version} (${license})`, ...holders].join('. '),
  );
  const written = [...texts].map(([text, license]) => `License ${license}:\n\n${text}`);
  return ['This page contains these packages:', lines.join('\n'), ...written].join('\n\n');
}
