import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../services/config/config.js';
import { ROOT } from '../../services/root.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { pagePolicy, pagesOf } from '../pages/static-file.js';
import { addCodeSamples, type SampledDocument } from './code-samples.js';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>Reference: identity and wallets</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<style>body{margin:0}nav{font:14px/2.5 system-ui,sans-serif;padding:0 1rem;border-bottom:1px solid #ddd}nav a{margin-right:1rem}</style>
</head>
<body>
<nav><a href="/guide">Guide</a> <a href="/docs">Try calls</a> <a href="/errors">Error types</a> <a href="/openapi.json">OpenAPI document</a></nav>
<div id="redoc"></div>
<script src="/reference/redoc.js"></script>
<script src="/reference/start.js"></script>
</body>
</html>
`;

const startScript = (path: string): string => `const root = ${JSON.stringify(path)};
const fontFamily = 'system-ui, sans-serif';
Redoc.init(
  root + '/reference/openapi.json',
  {
    downloadUrls: [{ title: 'OpenAPI document', url: root + '/openapi.json' }],
    nativeScrollbars: true,
    requiredPropsFirst: true,
    theme: { typography: { fontFamily, headings: { fontFamily }, code: { fontFamily: 'ui-monospace, monospace' } } },
  },
  document.getElementById('redoc'),
);
`;

/** The policy of /docs, and a worker: Redoc searches in one that it makes from a text of its own. */
const POLICY = pagePolicy('worker-src blob:', "style-src 'self' 'unsafe-inline'", "img-src 'self' data:");

/** The image beside the name of its makers. The page loads nothing from other hosts; Redoc hides an image that is empty. */
const FOREIGN_IMAGE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Serves the page for reading at /reference: Redoc, and the document with code samples for the address of this service. */
export function serveReference(app: NestExpressApplication, readDocument: () => object): void {
  const bundle = join(ROOT, 'dist', 'reference', 'redoc.standalone.js');
  if (!existsSync(bundle)) return;
  const serve = pagesOf(app);
  const path = basePathOf(app.get(Config).baseUrl);
  serve.page('/reference', POLICY, htmlBelow(path, PAGE));
  serve.file('/reference/start.js', () => Buffer.from(startScript(path)), 'text/javascript; charset=utf-8');
  serve.file(
    '/reference/redoc.js',
    () => Buffer.from(readFileSync(bundle, 'utf8').replaceAll(FOREIGN_IMAGE, 'data:,')),
    'text/javascript; charset=utf-8',
  );
  const withSamples = (): Buffer => {
    const document = readDocument();
    addCodeSamples(document as SampledDocument, app.get(Config).baseUrl);
    return Buffer.from(JSON.stringify(document));
  };
  serve.file('/reference/openapi.json', withSamples, 'application/json; charset=utf-8');
}
