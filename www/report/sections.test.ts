// The parts of the report are called as the report calls them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue } from '../parts/catalogue.js';
import { parts, sections } from './sections.js';

const [{ told }] = JSON.parse(readFileSync('tests/corpus/answers/open/described.json', 'utf8'));

test('parts are those of the document, in its order, with its headings', () => {
  assert.deepEqual(parts(), []);
  catalogue.value = told;
  assert.equal(parts().find(({ id }) => id === 'panels')?.heading, 'Further analyses');
  assert.equal(parts().find(({ id }) => id === 'checklist')?.heading, 'TRIPOD+AI items on calibration');
  assert.deepEqual(
    sections(),
    told.report_parts.map(({ id }: { id: string }) => id),
  );
});
