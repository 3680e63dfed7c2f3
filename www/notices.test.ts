// Notices of packages: every holder, and every text once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, notices, parts } from './notices.mjs';

const of = (name: string, license: string, text: string) => ({
  name,
  version: '1.0.0',
  license,
  ...parts(text),
});
const MIT = 'MIT License\n\nCopyright (c) 2020 A. Person\n\nPermission is\nhereby granted.\n';

test('equal texts stand once, with every holder', () => {
  const other = MIT.replace('A. Person', 'Somebody Else').replace('is\nhereby', 'is hereby');
  const page = notices([of('one', 'MIT', MIT), of('two', 'MIT', other), of('three', 'ISC', 'Permission to use.')]);
  assert.equal(page.split('Permission is hereby granted.').length, 2);
  assert.match(page, /one 1\.0\.0 \(MIT\)\. Copyright \(c\) 2020 A\. Person\n/);
  assert.match(page, /Somebody Else/);
  assert.match(page, /License ISC:\n\nPermission to use\./);
});

test('a license without a text is refused', () => {
  const bare = { ...of('bare', 'MIT', ''), text: '' };
  assert.throws(() => notices([bare]), /bare holds no text of its license, MIT/);
  assert.match(notices([bare, of('one', 'MIT', MIT)]), /bare 1\.0\.0/);
});

test('the list of dependencies has a line a package', () => {
  assert.equal(listed([of('one', 'MIT', MIT)]), 'one v1.0.0 MIT\n');
});
