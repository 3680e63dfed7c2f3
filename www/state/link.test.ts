// Links refer to columns by position: they are taken for a file of the same columns, and for no other.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Context } from './choices.js';
import { linkedChoices, linkedOptions, startLink } from './link.js';
import { columnsInLink } from './schema.js';
import { leftOut } from './store.js';

const worldOf = (...names: string[]) =>
  ({
    columns: names.map((name) => ({ name, file: 'ward.csv', role: 'feature' })),
    labels: ['0', '1'],
    models: [],
    bounds: [],
    methods: [],
    specified: [],
    metrics: [],
    within: [],
    logits: false,
    analyses: [],
    described: [],
    parts: [],
  }) as Context;
const ward = worldOf('age', 'risk', 'died');
const other = worldOf('id', 'p', 'weight', 'died');

function opened(link: Record<string, string>) {
  location.hash = `#${new URLSearchParams({ view: 'data', ...link })}`;
  startLink();
}
beforeEach(() => (leftOut.value = []));
const read = '{"roles":{"~2":"label"}}';

test('a link is taken for a file of the columns that it was made for', () => {
  opened({ read, columns: columnsInLink(ward.columns) });
  assert.deepEqual(linkedOptions(ward), { roles: { died: 'label' } });
  assert.deepEqual(leftOut.value, []);
});

test('of a link for other columns no setting is applied, and a sentence says so', () => {
  for (const columns of [columnsInLink(ward.columns), '3-x', '']) {
    opened({ read, subject: '{"groups":"~0"}', columns });
    assert.equal(linkedOptions(other), null);
    assert.equal(linkedChoices(other), null);
    assert.match(leftOut.value.join(), /was made for other columns, and refers to them by position/);
  }
});

test('without a word about columns, a link is taken for its example, or where it names no column', () => {
  opened({ read });
  assert.equal(linkedOptions(ward), null);
  assert.match(leftOut.value.join(), /does not say for which columns/);
  opened({ read, example: 'breast_cancer.csv' });
  assert.deepEqual(linkedOptions(ward), { roles: { died: 'label' } });
  opened({ read: '{"rows":"drop"}' });
  assert.deepEqual(linkedOptions(other), { rows: 'drop' });
});

test('the layout is taken before the columns are compared', () => {
  opened({ read: '{"header":false,"roles":{"~0":"label"}}', columns: columnsInLink(ward.columns) });
  assert.deepEqual(linkedOptions(other), { header: false });
  assert.deepEqual(linkedOptions(ward), { roles: { age: 'label' } });
});
