import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { Config } from '../../services/config/config.js';
import { ROOT } from '../../services/root.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { pagePolicy, setPageHeaders, StaticFile } from './static-file.js';

/** The pages have one script and one style sheet of their own, and the script writes no HTML. */
const POLICY = pagePolicy(
  "style-src 'self'",
  // The icon, which browsers ask for by themselves.
  "img-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
);

const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** The list of pages is also at /llms.txt. Few routes, because a request for the API is compared with each of them. */
export function serveGuide(app: NestExpressApplication): void {
  const root = join(ROOT, 'dist', 'guide');
  const path = basePathOf(app.get(Config).baseUrl);
  if (!existsSync(join(root, 'index.html'))) return;
  const files = new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map(({ parentPath, name }) => fileAt(root, join(parentPath, name), path)),
  );
  app
    .getHttpAdapter()
    .getInstance()
    .get(['/guide', '/guide/*path', '/llms.txt'], (request, response, next) => {
      const path = request.path === '/llms.txt' ? '/guide/llms.txt' : request.path.replace(/\/+$/, '');
      const file = files.get(path);
      if (!file) return next();
      setPageHeaders(response, POLICY);
      return file.send(request, response);
    });
}

/** A page has no extension, and `index.html` is /guide itself. */
function fileAt(root: string, file: string, basePath: string): [string, StaticFile] {
  const type = TYPES[extname(file)]!;
  const path = relative(root, file).split(sep).join('/');
  const name = path.replace(/(^|\/)index\.html$|\.html$/, '');
  return [
    name === '' ? '/guide' : `/guide/${name}`,
    new StaticFile(() => contentOf(file, basePath), type, 'public, max-age=300'),
  ];
}

function contentOf(file: string, basePath: string): Buffer {
  const content = readFileSync(file);
  if (basePath === '') return content;
  const text = content.toString();
  switch (extname(file)) {
    case '.html':
      return Buffer.from(htmlBelow(basePath, text));
    case '.json':
      return Buffer.from(text.replaceAll('"id":"/', () => `"id":"${basePath}/`));
    case '.md':
    case '.txt':
      return Buffer.from(
        text.replaceAll('](/', () => `](${basePath}/`).replaceAll(' /openapi.json', () => ` ${basePath}/openapi.json`),
      );
    default:
      return content;
  }
}
