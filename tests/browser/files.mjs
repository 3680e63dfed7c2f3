// Files made for a test: NPY and NPZ as NumPy writes them, and CSV that goes wrong in one way each.

/**
 * One array as NPY bytes: little-endian, C order. @param {Float64Array | Float32Array | Int32Array} values @param
 * {number[]} shape
 */
export function npy(values, shape) {
  const kind = { Float64Array: '<f8', Float32Array: '<f4', Int32Array: '<i4' }[values.constructor.name];
  return raw(
    `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`,
    Buffer.from(values.buffer),
  );
}

/** NPY bytes with any header. @param {string} header @param {Buffer} data */
export function raw(header, data) {
  const text = `${header.padEnd(117)}\n`;
  return Buffer.concat([
    Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length & 255, text.length >> 8]),
    Buffer.from(text, 'latin1'),
    data,
  ]);
}

const TABLE = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k += 1) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crc = (/** @type {Buffer} */ bytes) =>
  (bytes.reduce((c, byte) => TABLE[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

/** Arrays by name as a stored (not compressed) NPZ. @param {Record<string, Buffer>} arrays */
export function npz(arrays) {
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {Buffer[]} */
  const entries = [];
  let offset = 0;
  for (const [key, data] of Object.entries(arrays)) {
    const name = Buffer.from(`${key}.npy`);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, name]));
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/** Three classes, two features, seeded: probabilities that are too sure. @param {number} rows */
export function threeClasses(rows, seed = 3) {
  let state = seed;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const probs = new Float64Array(rows * 3);
  const labels = new Int32Array(rows);
  const features = new Float64Array(rows * 2);
  for (let i = 0; i < rows; i += 1) {
    const scores = [next(), next(), next()].map((u) => Math.exp(3 * u));
    const sum = scores.reduce((a, b) => a + b);
    scores.forEach((score, k) => (probs[3 * i + k] = score / sum));
    const right = scores.indexOf(Math.max(...scores));
    labels[i] = next() < 0.5 ? right : Math.floor(3 * next());
    features.set([next(), next()], 2 * i);
  }
  return { rows, probs, labels, features };
}

/** @param {ReturnType<typeof threeClasses>} data */
export const npzOf = ({ rows, probs, labels, features }) =>
  npz({ probs: npy(probs, [rows, 3]), labels: npy(labels, [rows]), features: npy(features, [rows, 2]) });

const rows = (/** @type {string[]} */ lines) => Buffer.from(`label,p\n${lines.join('\n')}\n`);
const good = ['1,0.9', '0,0.2', '1,0.6', '0,0.4', '1,0.8', '0,0.1'];
const matrix = (/** @type {number[]} */ values) => npy(Float64Array.from(values), [values.length / 2, 2]);
const half = npzOf(threeClasses(50));

/** Files that must be refused, and what the sentence must say.
 * @type {{ what: string, name: string, bytes: Buffer, code: string, says: RegExp }[]} */
export const BAD = [
  { what: 'an empty file', name: 'a.csv', bytes: Buffer.alloc(0), code: 'empty', says: /empty|nothing/i },
  { what: 'a header alone', name: 'b.csv', bytes: Buffer.from('label,p\n'), code: 'empty', says: /row/i },
  { what: 'NaN', name: 'e.csv', bytes: rows([...good, '1,NaN']), code: 'not_a_number', says: /row 7/i },
  { what: 'inf', name: 'f.csv', bytes: rows(['1,inf', ...good]), code: 'not_a_number', says: /row 1\b/i },
  {
    what: 'a word for a number',
    name: 'g.csv',
    bytes: rows([...good, '1,maybe', ...good]),
    code: 'not_a_number',
    says: /row 7/i,
  },
  {
    what: 'a probability above 1',
    name: 'h.npz',
    bytes: npz({ probs: matrix([0.5, 0.5, 1.2, -0.2, 0.3, 0.7]), labels: npy(Int32Array.from([0, 1, 1]), [3]) }),
    code: 'probability_out_of_range',
    says: /row 2/i,
  },
  {
    what: 'rows that do not sum to 1',
    name: 'i.npz',
    bytes: npz({ probs: matrix([0.5, 0.5, 0.5, 0.4, 0.3, 0.7]), labels: npy(Int32Array.from([0, 1, 1]), [3]) }),
    code: 'rows_do_not_sum_to_one',
    says: /row 2/i,
  },
  {
    what: 'a label out of range',
    name: 'j.npz',
    bytes: npz({ probs: matrix([0.5, 0.5, 0.6, 0.4, 0.3, 0.7]), labels: npy(Int32Array.from([0, 1, 7]), [3]) }),
    code: 'label_out_of_range',
    says: /row 3|7/i,
  },
  {
    what: 'arrays of different lengths',
    name: 'k.npz',
    bytes: npz({ probs: matrix([0.5, 0.5, 0.6, 0.4, 0.3, 0.7]), labels: npy(Int32Array.from([0, 1]), [2]) }),
    code: 'length_mismatch',
    says: /3.*2|2.*3/,
  },
  {
    what: 'a truncated NPZ',
    name: 'l.npz',
    bytes: half.subarray(0, half.length >> 1),
    code: 'archive_unreadable|array_unreadable',
    says: /damaged|truncated|ends|incomplete|cut/i,
  },
  {
    what: 'a pickled NPZ',
    name: 'm.npz',
    bytes: npz({
      probs: raw("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", Buffer.from('\x80\x04K\x01.', 'latin1')),
    }),
    code: 'array_pickled',
    says: /Python object|pickle/i,
  },
  {
    what: 'a shape that promises too much',
    name: 'n.npz',
    bytes: npz({
      probs: raw("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 10), }", Buffer.alloc(80)),
      labels: npy(Int32Array.from([0, 1]), [2]),
    }),
    code: 'array_unreadable',
    says: /1,000,000|80,000,000|10,000,000|bytes/i,
  },
  {
    what: 'a web page named .csv',
    name: 'o.csv',
    bytes: Buffer.from('<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>a, b</body></html>\n'),
    code: 'file_unknown|table_unreadable',
    says: /web page|HTML/i,
  },
];
