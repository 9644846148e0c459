import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pagePolicy, setPageHeaders, StaticFile } from './static-file.js';
import { Config } from '../../services/config/config.js';
import { ROOT } from '../../services/root.js';
import { basePathOf } from '../http/base-path.js';

/** The page writes no HTML into itself, so no Trusted Types policy exists. */
const POLICY = pagePolicy(
  "style-src 'self'",
  "img-src 'self'",
  // The frame of a mail.
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
);

/** The empty page that the console shows a mail in. Mails have inline styles; nothing else of them is permitted. */
const MAIL_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin',
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.woff2': 'font/woff2',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The path of each view is the same page. Files are named by their content, so browsers keep them; the page is always fetched. */
export function serveConsole(app: NestExpressApplication): void {
  const root = join(ROOT, 'dist', 'console');
  if (!existsSync(join(root, 'index.html'))) return;
  const path = basePathOf(app.get(Config).baseUrl);
  const page = readFileSync(join(root, 'index.html'), 'utf8')
    .replaceAll('="./', () => `="${path}/console/`)
    .replace('data-root=""', () => `data-root="${path}"`);
  const http = app.getHttpAdapter().getInstance();
  for (const name of readdirSync(join(root, 'assets'))) {
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`The type of the file ${name} of the console is not known.`);
    // Read now: a later build would remove the files that the page names.
    const content = readFileSync(join(root, 'assets', name));
    const file = new StaticFile(() => content, type, 'public, max-age=31536000, immutable');
    http.get(`/console/assets/${name}`, (request, response) => file.send(request, response));
  }
  http.get('/console/mail', (_request, response) => {
    setPageHeaders(response, MAIL_POLICY);
    response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    response.type('html').send('<!doctype html><title></title>');
  });
  http.get(['/console', '/console/:page', '/console/apps/*path'], (_request, response) => {
    setPageHeaders(response, POLICY);
    response.type('html').send(page);
  });
}
