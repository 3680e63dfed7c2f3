import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMembers } from './archives.js';

const file = (name: string, text: string) => new File([text], name);

test('the files of an archive stand in its place, and are the same ones the next time', async () => {
  const archive = file('both.zip', 'PK\x03\x04 and more');
  const table = file('rows.csv', 'p,y\n0.5,1\n');
  const inside = [file('a.csv', 'p\n'), file('b.zip', 'PK\x03\x04')];
  let asked = 0;
  const unpack = async () => {
    asked += 1;
    return inside;
  };
  assert.deepEqual(await withMembers([table, archive], unpack), [table, ...inside]);
  assert.deepEqual(await withMembers([archive], unpack), inside);
  // an archive within an archive is not asked about
  assert.deepEqual(await withMembers(inside, unpack), inside);
  assert.equal(asked, 1);
});

test('arrays, workbooks and tables are not asked about', async () => {
  const refuse = () => Promise.reject(new Error('asked'));
  const files = [
    file('arrays.npz', 'PK\x03\x04 … probs.npy …'),
    file('book.xlsx', 'PK\x03\x04 … xl/workbook.xml …'),
    file('rows.csv', 'p,y\n'),
    file('empty', ''),
  ];
  assert.deepEqual(await withMembers(files, refuse), files);
});

test('an archive that is read as one file stays, and a failure is not remembered', async () => {
  const archive = file('log.eval', 'PK\x03\x04 header.json');
  await assert.rejects(() => withMembers([archive], () => Promise.reject(new Error('damaged'))), /damaged/);
  assert.deepEqual(await withMembers([archive], async () => null), [archive]);
});
