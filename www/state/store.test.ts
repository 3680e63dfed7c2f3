// What a person chooses goes through the store, can be taken back, and comes back whole.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as store from './store.js';
import type { Opened } from './store.js';

const summary = { unsure: false, missing: null } as any;
/** Files that are open, as if they had been read. */
function opened(files: File[], options: object = {}): Opened {
  return { data: {} as any, files, options, summary, example: store.exampleOf(files) };
}
const file = (name: string) => new File(['a,b\n'], name);
const nothing = { subject: { groups: null, alike: {}, repair: null }, specified: {}, panels: {}, inReport: [] };

beforeEach(() => {
  store.open.value = store.draft.value = store.wanted.value = store.pending.value = null;
  store.choose(nothing);
  // a new file: what was chosen before this test is passed over or out of reach
  store.open.value = opened([file('a.csv')]);
});

test('a choice of the subject is one step, and comes back', () => {
  store.change({ repair: 'isotonic' });
  store.change({ groups: ['ward'] });
  assert.deepEqual(store.subject.value, { groups: ['ward'], alike: {}, repair: 'isotonic' });
  store.undo();
  assert.deepEqual(store.subject.value, { groups: null, alike: {}, repair: 'isotonic' });
  store.undo();
  assert.deepEqual(store.chosen(), nothing);
  store.redo();
  store.redo();
  assert.deepEqual(store.chosen().subject.groups, ['ward']);
});

test('a panel’s option is set, left to the core again, and the panel forgotten with its last option', () => {
  store.set('scorecard', 'bins', 12);
  store.set('scorecard', 'seed', 1);
  assert.deepEqual(store.panels.value, { scorecard: { bins: 12, seed: 1 } });
  store.set('scorecard', 'bins', undefined);
  store.set('scorecard', 'seed', undefined);
  assert.deepEqual(store.panels.value, {});
  store.undo();
  assert.deepEqual(store.panels.value, { scorecard: { seed: 1 } });
});

test('what could not be asked is put back without a step', () => {
  store.set('scorecard', 'bins', 12);
  store.putBack('scorecard', { bins: 10 });
  assert.deepEqual(store.panels.value, { scorecard: { bins: 10 } });
  store.undo();
  assert.deepEqual(store.panels.value, {});
});

test('in other coordinates, panels lose the bandwidths and axes of the old ones, unless the place is their own', () => {
  store.setAll('map', { axes: [0, 1], alike: { gamma: 2, kernel: 'rbf' }, grid: 20 });
  store.setAll('sweep', { alike: { gamma: 2 } });
  store.setAll('worst', { alike: { gamma: 2, place: 'own' } });
  store.changeSimilarity({ place: 'pca' } as any, true);
  assert.deepEqual(store.panels.value, {
    map: { grid: 20, alike: { kernel: 'rbf' } },
    worst: { alike: { gamma: 2, place: 'own' } },
  });
  store.undo();
  assert.deepEqual(store.chosen().panels.sweep, { alike: { gamma: 2 } }, 'all of it is one step');
  assert.deepEqual(store.subject.value.alike, {});
});

test('a recalibration with settings of its own comes and goes with them', () => {
  store.lookThrough('own', { id: 'bins', parameters: { bins: 3 } });
  assert.equal(store.subject.value.repair, 'own');
  store.undo();
  assert.deepEqual([store.subject.value.repair, store.specified.value], [null, {}]);
});

test('a panel stands in the report once', () => {
  store.putInReport('scorecard', true);
  store.putInReport('map', true);
  store.putInReport('scorecard', true);
  assert.deepEqual(store.inReport.value, ['map', 'scorecard']);
  store.putInReport('map', false);
  assert.deepEqual(store.inReport.value, ['scorecard']);
});

test('how files are read is asked for, and only that of the same files is taken back by opening them again', () => {
  const { files } = store.open.value as Opened;
  store.reread({ rows: 'drop' });
  assert.deepEqual(store.wanted.value, { files, options: { rows: 'drop' }, example: null });
  store.open.value = opened(files, { rows: 'drop' });
  store.undo();
  assert.deepEqual(store.wanted.value?.options, {});
  assert.deepEqual(store.wanted.value?.back, nothing);
});

test('a choice made while the first is being opened adds to it, and each is a step of undo', () => {
  const role = (name: string, role: wasm_bindgen.Role) =>
    store.reread(({ roles }) => ({ roles: { ...roles, [name]: role } }));
  role('a', 'label');
  role('b', 'logit');
  assert.deepEqual(store.wanted.value?.options.roles, { a: 'label', b: 'logit' });
  store.undo(); // while both are being opened
  assert.deepEqual(store.wanted.value?.options.roles, { a: 'label' });
  store.undo();
  assert.deepEqual(store.wanted.value?.options, {});
  store.redo();
  assert.deepEqual(store.wanted.value?.options.roles, { a: 'label' });
});

test('what was asked for and refused is no step, and nothing is added to it', () => {
  const { files } = store.open.value as Opened;
  store.change({ repair: 'isotonic' });
  store.reread({ rows: 'drop' });
  store.reread({ totals: true });
  store.pending.value = null;
  store.history.settle();
  store.reread({ header: true });
  assert.deepEqual(store.wanted.value?.options, { header: true });
  store.open.value = opened(files, store.wanted.value?.options);
  store.pending.value = null;
  store.undo();
  assert.deepEqual(store.wanted.value?.options, {});
  store.pending.value = null;
  store.open.value = opened(files);
  store.undo();
  assert.equal(store.subject.value.repair, null);
});

test('who opens other files and goes back at once has what was chosen of those before', () => {
  const { files } = store.open.value as Opened;
  store.change({ repair: 'isotonic' });
  const other = [file('b.csv')];
  store.openFiles(other);
  store.undo(); // they are not open yet
  assert.deepEqual(store.wanted.value?.files, files);
  store.redo();
  assert.deepEqual(store.wanted.value?.files, other);
  store.open.value = opened(other);
  store.pending.value = null;
  store.choose(nothing);
  store.undo();
  store.undo(); // those before are not open again yet
  assert.deepEqual(store.wanted.value?.files, files);
  assert.equal(store.wanted.value?.back?.subject.repair, null);
  store.redo();
  assert.equal(store.wanted.value?.back?.subject.repair, 'isotonic');
});

test('who opens other files can go back to those before, with what was chosen of them', () => {
  const { files } = store.open.value as Opened;
  store.change({ repair: 'isotonic' });
  const others = [file('b.csv')];
  store.openFiles(others);
  store.open.value = opened(others);
  store.choose(nothing);
  store.undo();
  assert.equal(store.wanted.value?.files, files);
  assert.equal(store.wanted.value?.back?.subject.repair, 'isotonic');
  assert.equal(store.subject.value.repair, null, 'nothing is asked of the files that are still open');
});

test('files are known by identity: an equal name is no equal file', () => {
  const one = file('a.csv');
  assert.equal(store.sameFiles([one], [one]), true);
  assert.equal(store.sameFiles([one], [file('a.csv')]), false);
  assert.equal(store.sameFiles([], [one]), false);
});

test('an example stays one when it is opened again', () => {
  const example = file('digits.npz');
  store.openFiles([example], {}, 'digits.npz');
  store.openFiles([example], { rows: 'drop' } as any);
  assert.equal(store.wanted.value?.example, 'digits.npz');
  store.openFiles([]);
  assert.equal(store.wanted.value?.files[0], example, 'no files are nothing to open');
});

test('what waits for a person’s word is what the page is about', () => {
  const waiting = { files: [file('c.csv')], options: {}, summary: { ...summary, unsure: true } };
  assert.equal(store.usable.value, true);
  store.draft.value = waiting;
  assert.equal(store.about.value, waiting);
  assert.equal(store.usable.value, false);
  store.draft.value = null;
  assert.equal(store.about.value, store.open.value);
  store.open.value = { ...opened([file('d.csv')]), summary: { ...summary, missing: 'label' } };
  assert.equal(store.usable.value, false);
});
