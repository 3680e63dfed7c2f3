// How to check that nothing leaves: the page counts its own requests each time the help is opened.

import { byId, el, fill } from '../dom.js';

export function mountHelp() {
  const help = /** @type {HTMLDetailsElement} */ (byId('privacy'));
  help.addEventListener('toggle', () => {
    const requests = performance.getEntriesByType('resource').filter(({ name }) => !/^(blob|data):/.test(name));
    const text = requests.length === 0 ? 'none' : requests.map(({ name }) => name).join(', ');
    fill(byId('requests'), 'Requests this page has made since it was opened: ', el('strong', {}, text), '.');
  });
  for (const id of ['seal', 'how'])
    byId(id).addEventListener('click', () => {
      help.open = true;
    });
  const copy = /** @type {HTMLInputElement} */ (byId('saved-copy'));
  copy.addEventListener('change', async () => {
    const [file] = copy.files ?? [];
    if (file) byId('checksum').textContent = `SHA-256 of ${file.name}: ${await checksum(file)}`;
  });
}

/** SHA-256 in hexadecimal digits, as `sha256sum` prints it. @param {File} file */
async function checksum(file) {
  if (!crypto.subtle) return 'this browser computes it only for pages from disk or over HTTPS';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
