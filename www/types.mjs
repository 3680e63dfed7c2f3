// The types of what is asked of the core and answered, as TypeScript: www/pkg/localcal_types.d.ts from the JSON Schema
// on standard input. They stand in the namespace of the core's functions.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from 'json-schema-to-typescript';

// a default says nothing about the type, and beside a reference the compiler takes it for one
const schema = JSON.parse(readFileSync(0, 'utf8'), (key, value) => (key === 'default' ? undefined : value));
const types = await compile(schema, schema.title, {
  additionalProperties: false,
  bannerComment: '',
  format: false,
  unknownAny: true,
  unreachableDefinitions: true,
});
const said = types.replace(/^ \*\n \* This interface was referenced by .*\n \* via the `definition` ".*\n/gm, '');
const folder = join(import.meta.dirname, 'pkg');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'localcal_types.d.ts'), `declare namespace wasm_bindgen {\n${said}}\n`);
