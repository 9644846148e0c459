import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.js';

const require = createRequire(import.meta.url);
const UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Identity and wallets</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body{margin:0}</style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// A file of its own, because the policy of the page refuses inline scripts. Without `validatorUrl: null`, Swagger UI sends
// the document's address to a validator of its makers. Keys live in the memory of the page only: what localStorage keeps, every
// later page of the origin can read. Earlier releases kept them there.
const START_SCRIPT = `localStorage.removeItem('authorized');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: 'list',
  filter: true,
});
`;

// Swagger UI needs inline styles and the images in its style sheet, but no inline script and no `eval`.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the committed document at /openapi.json and Swagger UI at /docs. */
export function serveDocument(app: NestExpressApplication): void {
  const file = join(ROOT, 'openapi', 'openapi.json');
  if (!existsSync(file)) return;
  const document = readFileSync(file);
  const http = app.getHttpAdapter().getInstance();
  http.get('/openapi.json', (_request, response) => {
    cached(response).type('application/json').send(document);
  });
  http.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', POLICY);
    response.type('html').send(PAGE);
  });
  http.get('/docs/start.js', (_request, response) => {
    cached(response).type('application/javascript').send(START_SCRIPT);
  });
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const name of UI_FILES)
    http.get(`/docs/${name}`, (_request, response) => {
      cached(response).sendFile(name, { root, cacheControl: false });
    });
}

function cached(response: Response): Response {
  return response.setHeader('Cache-Control', 'public, max-age=300');
}
