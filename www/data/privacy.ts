// How to check that nothing leaves: the page counts its own requests each time the help is opened.

const byId = (id: string) => document.getElementById(id) as HTMLElement;

export function startPrivacy() {
  const help = byId('privacy') as HTMLDetailsElement;
  help.addEventListener('toggle', () => {
    const requests = performance.getEntriesByType('resource').filter(({ name }) => !/^(blob|data):/.test(name));
    const names = requests.length === 0 ? 'none' : requests.map(({ name }) => name).join(', ');
    const strong = document.createElement('strong');
    strong.textContent = names;
    byId('requests').replaceChildren('Requests made by this page since it was opened: ', strong, '.');
  });
  byId('seal').addEventListener('click', (event) => {
    event.preventDefault();
    help.open = true;
    help.scrollIntoView({ block: 'start' });
    byId('how').focus({ preventScroll: true });
  });
  const copy = byId('saved-copy') as HTMLInputElement;
  copy.addEventListener('change', async () => {
    const [file] = copy.files ?? [];
    if (!file) return;
    const digest = await checksum(file);
    // of several files that of the last one, whichever is read first
    if (copy.files?.[0] === file) byId('checksum').textContent = `SHA-256 of ${file.name}: ${digest}`;
  });
}

/** SHA-256 in hexadecimal digits, as `sha256sum` prints it. */
async function checksum(file: File) {
  if (!crypto.subtle) return 'available only for pages opened from disk or over HTTPS';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
