// QR codes (ISO/IEC 18004): bytes, error correction level L, versions 1 to 20, which hold a link of up to 858 bytes.

/** Codewords for error correction of each block, and blocks, by version. */
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const LEVEL_L = 1;
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Modules for data and error correction. */
function modules(version: number): number {
  let count = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const lines = Math.floor(version / 7) + 2;
    count -= (25 * lines - 10) * lines - 55;
    if (version >= 7) count -= 36;
  }
  return count;
}

/** Product in GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1. */
function product(a: number, b: number): number {
  let z = 0;
  for (let i = 7; i >= 0; i -= 1) z = (z << 1) ^ ((z >>> 7) * 0x11d) ^ (((b >>> i) & 1) * a);
  return z;
}

/** Remainder of Reed and Solomon's division: so many codewords. */
function corrected(data: number[], degree: number): number[] {
  const divisor: number[] = new Array(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i += 1) {
    for (let j = 0; j < degree; j += 1) divisor[j] = product(divisor[j], root) ^ (divisor[j + 1] ?? 0);
    root = product(root, 2);
  }
  const rest: number[] = new Array(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    divisor.forEach((d, i) => (rest[i] ^= product(d, factor)));
  }
  return rest;
}

/** The codewords of a text in its smallest version; null: it is too long. */
function codewords(text: string): { version: number; words: number[] } | null {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= BLOCKS.length; version += 1) {
    const [blocks, correction] = [BLOCKS[version - 1], CORRECTION[version - 1]];
    const all = Math.floor(modules(version) / 8);
    const capacity = all - blocks * correction;
    const length = version < 10 ? 8 : 16;
    if (4 + length + 8 * bytes.length > 8 * capacity) continue;
    const bits: number[] = [];
    const put = (value: number, count: number) => {
      for (let i = count - 1; i >= 0; i -= 1) bits.push((value >>> i) & 1);
    };
    put(4, 4);
    put(bytes.length, length);
    bytes.forEach((byte) => put(byte, 8));
    put(0, Math.min(4, 8 * capacity - bits.length));
    put(0, (8 - (bits.length % 8)) % 8);
    for (let fill = 0xec; bits.length < 8 * capacity; fill ^= 0xec ^ 0x11) put(fill, 8);
    const data = Array.from({ length: capacity }, (_, i) =>
      bits.slice(8 * i, 8 * i + 8).reduce((sum, bit) => 2 * sum + bit, 0),
    );
    const short = blocks - (all % blocks);
    const size = Math.floor(all / blocks) - correction;
    const parts: number[][] = [];
    for (let b = 0, at = 0; b < blocks; b += 1) {
      const here = size + (b < short ? 0 : 1);
      parts.push(data.slice(at, at + here));
      at += here;
    }
    const checks = parts.map((part) => corrected(part, correction));
    const words: number[] = [];
    for (let i = 0; i <= size; i += 1) for (const part of parts) if (i < part.length) words.push(part[i]);
    for (let i = 0; i < correction; i += 1) for (const part of checks) words.push(part[i]);
    return { version, words };
  }
  return null;
}

/** Places of the alignment patterns on either axis. */
function alignment(version: number, side: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((side - 13) / (2 * count - 2)) * 2;
  const later = Array.from({ length: count - 1 }, (_, i) => side - 7 - i * step).reverse();
  return [6, ...later];
}

/** How hard a pattern is to read: long runs, blocks of one color, and too much of one. */
function penalty(rows: boolean[][]): number {
  const side = rows.length;
  let [sum, dark] = [0, 0];
  for (const at of [(x: number, y: number) => rows[y][x], (x: number, y: number) => rows[x][y]])
    for (let y = 0; y < side; y += 1)
      for (let x = 1, run = 1; x <= side; x += 1) {
        if (x < side && at(x, y) === at(x - 1, y)) run += 1;
        else {
          if (run >= 5) sum += run - 2;
          run = 1;
        }
      }
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      dark += rows[y][x] ? 1 : 0;
      const square =
        x > 0 && y > 0 && [rows[y - 1][x], rows[y][x - 1], rows[y - 1][x - 1]].every((one) => one === rows[y][x]);
      sum += square ? 3 : 0;
    }
  return sum + 10 * Math.floor(Math.abs((20 * dark) / (side * side) - 10));
}

/** The modules of a QR code, row by row, true where dark; null for a text that is too long. `mask`: of 0 to 7, else the best. */
export function quick(text: string, mask?: number): boolean[][] | null {
  const coded = codewords(text);
  if (!coded) return null;
  const { version, words } = coded;
  const side = 4 * version + 17;
  const fixed: (boolean | undefined)[][] = Array.from({ length: side }, () => new Array(side).fill(undefined));
  const set = (x: number, y: number, dark: boolean) => {
    if (x >= 0 && y >= 0 && x < side && y < side) fixed[y][x] = dark;
  };
  for (let i = 0; i < side; i += 1) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [side - 4, 3],
    [3, side - 4],
  ])
    for (let dy = -4; dy <= 4; dy += 1)
      for (let dx = -4; dx <= 4; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
  const places = alignment(version, side);
  const last = places.length - 1;
  places.forEach((cx, i) =>
    places.forEach((cy, j) => {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
      for (let dy = -2; dy <= 2; dy += 1)
        for (let dx = -2; dx <= 2; dx += 1) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }),
  );
  if (version >= 7) {
    let rest = version;
    for (let i = 0; i < 12; i += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let i = 0; i < 18; i += 1) {
      const [a, b, dark] = [side - 11 + (i % 3), Math.floor(i / 3), ((bits >>> i) & 1) === 1];
      set(a, b, dark);
      set(b, a, dark);
    }
  }
  const format = (which: number) => {
    const data = (LEVEL_L << 3) | which;
    let rest = data;
    for (let i = 0; i < 10; i += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (i: number) => ((bits >>> i) & 1) === 1;
    for (let i = 0; i <= 5; i += 1) set(8, i, bit(i));
    set(8, 7, bit(6));
    set(8, 8, bit(7));
    set(7, 8, bit(8));
    for (let i = 9; i < 15; i += 1) set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i += 1) set(side - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i += 1) set(8, side - 15 + i, bit(i));
    set(8, side - 8, true);
  };
  format(0);
  /** Data modules in their order: two columns at a time, up and down. */
  const order: [number, number][] = [];
  for (let right = side - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < side; step += 1)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? side - 1 - step : step;
        if (fixed[y][x] === undefined) order.push([x, y]);
      }
  }
  const masked = (which: number): boolean[][] => {
    format(which);
    const rows = fixed.map((row) => row.map((dark) => dark ?? false));
    order.forEach(([x, y], i) => {
      const bit = ((words[i >>> 3] ?? 0) >>> (7 - (i & 7))) & 1;
      rows[y][x] = (bit === 1) !== MASKS[which](x, y);
    });
    return rows;
  };
  if (mask !== undefined) return masked(mask);
  const all = MASKS.map((_, which) => masked(which));
  return all.reduce((best, rows) => (penalty(rows) < penalty(best) ? rows : best));
}
