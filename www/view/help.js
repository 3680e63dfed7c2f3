// How to check that nothing leaves: the page counts its own requests each time the help is opened.

import { byId, el, fill } from '../dom.js';

export function mountHelp() {
  const help = /** @type {HTMLDetailsElement} */ (byId('privacy'));
  help.addEventListener('toggle', () => {
    const requests = performance.getEntriesByType('resource').filter(({ name }) => !/^(blob|data):/.test(name));
    const text = requests.length === 0 ? 'none' : requests.map(({ name }) => name).join(', ');
    fill(byId('requests'), 'Requests this page has made since it was opened: ', el('strong', {}, text), '.');
  });
  byId('seal').addEventListener('click', () => {
    help.open = true;
  });
}
