// Serves dist/ on http://localhost:8080 (PORT changes it). Nothing but static files.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(import.meta.dirname, '../dist');
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html; charset=utf-8', '.json': 'application/json', '.png': 'image/png' };

/**
 * A server of dist/, with `/` as the page. @param {(url: string) => void} [heard] called with every address asked for
 */
export function server(heard = () => {}) {
  return createServer((request, response) => {
    heard(request.url ?? '');
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const file = join(folder, normalize(path === '/' ? '/localcal.html' : path));
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile())
      return response.writeHead(404).end('not found\n');
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.PORT ?? 8080);
  server().listen(port, () => console.log(`http://localhost:${port}/`));
}
