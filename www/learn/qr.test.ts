import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { quick } from './qr.js';

const LINK = 'https://example.org/course/localcal.html#lab=6&n=3000&region=0,1.5,1,25&region=0,-1.5,1,-25&hide=answers';

/** Of the modules that the Python package `qrcode` 8 makes for the same text, level L, version and mask. */
test('codes are those of independent software', () => {
  for (const [text, mask, version, digest] of [
    ['https://a.b/localcal.html#lab=6', 0, 2, '21ed53024080ad92'],
    [LINK, 3, 5, '5513bc9991755f51'],
    ['x'.repeat(300), 7, 11, '44874a4f4cac40c6'],
    ['y'.repeat(700), 5, 18, '62adfaef2a6b0092'],
  ] as const) {
    const rows = quick(text, mask);
    assert.equal(rows?.length, 4 * version + 17);
    const written = rows.map((row) => row.map(Number).join('')).join('\n');
    assert.equal(createHash('sha256').update(written).digest('hex').slice(0, 16), digest);
  }
});

test('without a mask it is one of the eight, and what is too long is none', () => {
  const all = Array.from({ length: 8 }, (_, mask) => JSON.stringify(quick(LINK, mask)));
  assert.ok(all.includes(JSON.stringify(quick(LINK))));
  assert.equal(quick('z'.repeat(859)), null);
  assert.notEqual(quick('z'.repeat(858)), null);
});
