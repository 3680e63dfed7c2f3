// What makes rows alike: the maps that the file offers, and new ones made from its columns.

import { el, fill } from '../dom.js';
import { offerOf } from '../engine/localcal.js';
import { showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../engine/localcal.js').Data} Data */
/** @typedef {import('../engine/projection.js').FeatureMap} FeatureMap */

/** Maps that were made, by data set. @type {WeakMap<Data, FeatureMap[]>} */
const made = new WeakMap();
/** Roles of columns that may describe rows; texts become one coordinate per value. */
const DESCRIBE = ['feature', 'features', 'group', 'ignore'];

/** Maps by name, and the columns that make one two at a time. @param {Data} data */
export function maps(data) {
  const { columns, maps: offered } = offerOf(data);
  const all = [
    ...offered.map(({ name, features }) => [name, features]),
    ...(made.get(data) ?? []).map(({ name }) => [name, name]),
  ];
  return { names: columns, ways: /** @type {Record<string, any>} */ (Object.fromEntries(all)) };
}

/**
 * Computes a map, with a picture of the rows while they move. @param {Data} data @param
 * {wasm_bindgen.ProjectionRequest} request
 * @param {HTMLCanvasElement} [picture] @returns {Promise<FeatureMap | null>} */
export async function makeMap(data, request, picture) {
  try {
    const map = await withLine('Computing coordinates', ({ signal, onProgress }) =>
      data.project(request, {
        signal,
        onProgress(progress) {
          onProgress(progress);
          if (picture && progress.picture) scatter(picture, progress.picture);
        },
      }),
    );
    made.set(data, [...(made.get(data) ?? []), map]);
    return map;
  } catch (error) {
    if (!['closed', 'cancelled'].includes(/** @type {any} */ (error).code)) showError(error);
    return null;
  } finally {
    if (picture) picture.hidden = true;
  }
}

/**
 * Rows as dots, wherever they are at this moment. @param {HTMLCanvasElement} canvas @param {{ x: Float32Array, y:
 * Float32Array }} places
 */
function scatter(canvas, { x, y }) {
  const brush = canvas.getContext('2d');
  if (!brush) return;
  canvas.hidden = false;
  const size = canvas.width;
  const reach = Math.max(...[x, y].map((values) => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0))) || 1;
  brush.clearRect(0, 0, size, size);
  brush.fillStyle = getComputedStyle(canvas).color;
  const at = (/** @type {number} */ value) => ((value / reach) * 0.48 + 0.5) * size;
  for (let i = 0; i < x.length; i += 1) brush.fillRect(at(x[i]), size - at(y[i]), 1.5, 1.5);
}

/** The form that makes a map. @param {Data} data @param {(map: FeatureMap) => void} use */
export function mapForm(data, use) {
  const columns = data.summary.columns.filter(({ role }) => DESCRIBE.includes(role));
  const wide = columns.some(({ shape }) => shape.length > 1 && shape[1] > 50);
  const of = /** @type {HTMLSelectElement} */ (
    el(
      'select',
      { name: 'map-columns', multiple: true, size: Math.min(6, Math.max(2, columns.length)) },
      ...columns.map(({ name, role }) => el('option', { value: name, selected: role.startsWith('feature') }, name)),
    )
  );
  const choose = (/** @type {string} */ name, /** @type {Record<string, string>} */ options) =>
    /** @type {HTMLSelectElement} */ (
      el('select', { name }, ...Object.entries(options).map(([value, text]) => el('option', { value }, text)))
    );
  const number = (/** @type {string} */ name, /** @type {number | string} */ value) =>
    /** @type {HTMLInputElement} */ (el('input', { type: 'number', name, value, min: 0, step: 'any' }));
  const scale = choose('map-scale', {
    none: 'as they stand',
    standardise: 'each to standard deviation 1',
    median_l1: 'together, median distance 1',
  });
  const kind = choose('map-kind', {
    tsne2: 't-SNE, two coordinates',
    tsne3: 't-SNE, three coordinates',
    pca: 'principal components',
    none: 'the columns themselves',
  });
  const [components, perplexity, seed] = [
    number('map-components', wide ? 50 : ''),
    number('map-perplexity', 30),
    number('map-seed', 0),
  ];
  const picture = el('canvas', {
    width: 240,
    height: 240,
    hidden: true,
    role: 'img',
    'aria-label': 'The rows on their way',
  });
  const field = (/** @type {string} */ label, /** @type {Element} */ control) =>
    el('label', { class: 'field' }, el('span', {}, label), control);
  const how = el('div', { class: 'fields' });
  const show = () =>
    fill(
      how,
      kind.value !== 'none' &&
        field(kind.value === 'pca' ? 'Components' : 'Components first (empty: none)', components),
      ...(kind.value.startsWith('tsne') ? [field('Perplexity', perplexity), field('Seed', seed)] : []),
    );
  kind.addEventListener('change', show);
  show();
  const make = async () => {
    const tsne = kind.value.startsWith('tsne') && {
      dimensions: kind.value === 'tsne3' ? 3 : 2,
      perplexity: Number(perplexity.value) || undefined,
      seed: Number(seed.value) || 0,
    };
    const pca = kind.value === 'none' ? 0 : Number(components.value) || (kind.value === 'pca' ? 2 : 0);
    const map = await makeMap(
      data,
      /** @type {any} */ ({
        of: [...of.selectedOptions].map(({ value }) => value),
        scale: scale.value,
        ...(pca && { pca }),
        ...(tsne && { tsne }),
      }),
      picture,
    );
    if (map) use(map);
  };
  return el(
    'details',
    { class: 'fold' },
    el('summary', {}, 'Make another map'),
    el(
      'div',
      { class: 'fields' },
      field('Of these columns (text: one coordinate per value)', of),
      field('Scaled', scale),
      field('Into', kind),
    ),
    how,
    el('p', { class: 'row' }, el('button', { type: 'button', onclick: make }, 'Make the map')),
    picture,
  );
}
