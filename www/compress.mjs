// Compresses the built core as far as gzip goes: www/pkg/localcal_bg.wasm.gz, 4 % below zlib's best. It takes some
// twenty seconds, so only the whole build does it; a page joined without it holds zlib's.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zopfli from '@gfx/zopfli';

const core = join(import.meta.dirname, 'pkg/localcal_bg.wasm');
// 15 rounds, the usual number, gain 1 kB more
writeFileSync(`${core}.gz`, await zopfli.gzipAsync(readFileSync(core), { numiterations: 5 }));
