import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const words = (...files: string[]) => spawnSync(process.execPath, ['www/words.mjs', ...files], { encoding: 'utf8' });

test('documents and texts of the page use no retired word', () => {
  const { status, stderr } = words();
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

test('a retired word is named with its file and line, in prose and in texts, not in code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  try {
    const document = join(folder, 'a.md');
    writeFileSync(document, '# Fine\n\nIt hangs on `who is alike`.\n\n```\nnobody\n```\n');
    const source = join(folder, 'a.tsx');
    writeFileSync(
      source,
      'const told = 1;\nexport const A = () => <p title="Looking at everybody">too low {told}</p>;\n',
    );
    const { status, stderr } = words(document, source);
    assert.equal(status, 1);
    const named = stderr.trim().split('\n');
    assert.deepEqual(
      named.map((line) => line.replace(folder, '').split(' → ')[0]),
      ['/a.md:3: “hangs on”', '/a.tsx:2: “everybody”', '/a.tsx:2: “too low”'],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
