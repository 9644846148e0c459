import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../services/config/config.js';
import { escapeHtml } from '../../services/mail/words.js';
import { ROOT } from '../../services/root.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { sitePage } from '../pages/html-page.js';
import { pagePolicy, pagesOf } from '../pages/static-file.js';
import { addCodeSamples, postmanCollection, type SampledDocument } from './code-samples.js';

type Paths = SampledDocument['paths'];

interface ReferenceDocument extends SampledDocument {
  readonly webhooks: Paths;
  readonly openapi: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: SampledDocument['components'] & Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const slugOf = (tag: string): string => tag.replaceAll(/[^a-z0-9]+/g, '-');

/** Earlier addresses named a group on one page, such as `#tag/users/operation/user_create`. */
const INDEX_SCRIPT = `const [, tag, rest = ''] = /^#tag\\/([^/]+)(?:\\/(operation\\/.*))?/.exec(location.hash) ?? [];
if (tag) location.replace(location.pathname.replace(/\\/$/, '') + '/' + decodeURIComponent(tag).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') + (rest && '#' + rest));
`;

const startScript = (path: string): string => `const root = ${JSON.stringify(path)};
const group = location.pathname.replace(/\\/+$/, '').split('/').pop();
const style = getComputedStyle(document.documentElement);
// Redoc computes with colours, so it needs those that the browser has chosen from each pair.
const probe = document.createElement('i');
document.body.append(probe);
const colour = (name) => {
  probe.style.color = style.getPropertyValue('--' + name);
  return getComputedStyle(probe).color;
};
const fontFamily = style.getPropertyValue('--sans');
const code = style.getPropertyValue('--mono');
const draw = () =>
  Redoc.init(
    root + '/reference/' + group + '/openapi.json',
    {
      disableSearch: true,
      hideDownloadButtons: true,
      nativeScrollbars: true,
      requiredPropsFirst: true,
      scrollYOffset: 'header',
      theme: {
        colors: {
          primary: { main: colour('accent') },
          success: { main: colour('good') },
          error: { main: colour('bad') },
          text: { primary: colour('ink'), secondary: colour('soft') },
          border: { dark: colour('line'), light: colour('line') },
          responses: {
            success: { color: colour('good'), backgroundColor: colour('good-soft'), tabTextColor: '#6fd3a1' },
            error: { color: colour('bad'), backgroundColor: colour('bad-soft'), tabTextColor: '#ff9a91' },
          },
        },
        schema: { nestedBackground: colour('sunk'), typeNameColor: colour('soft'), linesColor: colour('control') },
        sidebar: { backgroundColor: colour('card'), textColor: colour('ink') },
        rightPanel: { backgroundColor: colour('code'), textColor: colour('on-code') },
        codeBlock: { backgroundColor: colour('code') },
        typography: {
          fontSize: '14px',
          fontFamily,
          headings: { fontFamily, fontWeight: '600' },
          code: { fontFamily: code, color: colour('ink'), backgroundColor: colour('sunk') },
        },
      },
    },
    document.getElementById('redoc'),
  );
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
`;

const POLICY = pagePolicy("style-src 'self' 'unsafe-inline'", "img-src 'self' data:");

/** The logo of Redoc's makers. The page loads nothing from other hosts; Redoc hides an empty image. */
const FOREIGN_IMAGE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** One page for each group: a page of all groups would keep the browser busy for ten seconds. */
export function serveReference(app: NestExpressApplication, readDocument: () => object): void {
  const bundle = join(ROOT, 'dist', 'reference', 'redoc.standalone.js');
  if (!existsSync(bundle)) return;
  const serve = pagesOf(app);
  const path = basePathOf(app.get(Config).baseUrl);
  const read = readDocument() as ReferenceDocument;
  const json = 'application/json; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  serve.page('/reference', POLICY, htmlBelow(path, indexPage(read)));
  serve.file('/reference/index.js', () => Buffer.from(INDEX_SCRIPT), script);
  serve.file('/reference/start.js', () => Buffer.from(startScript(path)), script);
  serve.file(
    '/reference/redoc.js',
    () => Buffer.from(readFileSync(bundle, 'utf8').replaceAll(FOREIGN_IMAGE, 'data:,')),
    script,
  );
  const withSamples = (): ReferenceDocument => {
    const document = readDocument() as ReferenceDocument;
    addCodeSamples(document, app.get(Config).baseUrl);
    return document;
  };
  const collection = (): object => postmanCollection(readDocument() as ReferenceDocument, app.get(Config).baseUrl);
  serve.file('/reference/postman.json', () => Buffer.from(JSON.stringify(collection())), json);
  serve.file('/reference/openapi.json', () => Buffer.from(JSON.stringify(withSamples())), json);
  for (const [index, tag] of read.tags.entries()) {
    const name = slugOf(tag.name);
    serve.page(`/reference/${name}`, POLICY, htmlBelow(path, groupPage(tag.name, read.tags[index + 1]?.name)));
    serve.file(
      `/reference/${name}/openapi.json`,
      () => Buffer.from(JSON.stringify(documentOf(tag.name, withSamples()))),
      json,
    );
  }
}

function indexPage({ tags, paths, webhooks }: ReferenceDocument): string {
  const cards = tags.map(({ name, description }) => {
    const count = Object.values({ ...ofGroup(name, paths), ...ofGroup(name, webhooks) }).flatMap(Object.keys).length;
    return `<li><a href="/reference/${slugOf(name)}"><strong>${escapeHtml(name)}</strong>${escapeHtml(description)} <span>${count} ${count === 1 ? 'call' : 'calls'}</span></a></li>`;
  });
  const body =
    '<main class="text"><h1>Reference</h1><p>All calls by group, with samples for curl, TypeScript, Python and Go. ' +
    '<a href="/guide/api">What all calls share</a> · <a href="/errors">Error types</a> · <a href="/openapi.json">OpenAPI document</a> · ' +
    '<a href="/reference/postman.json" download>Collection for Postman and Bruno</a></p>' +
    `<ul class="cards">${cards.join('')}</ul></main><script src="/reference/index.js"></script>`;
  return sitePage({ here: '/reference', title: 'Reference: identity and wallets', body });
}

function groupPage(name: string, next: string | undefined): string {
  const following = next === undefined ? '' : `<a href="/reference/${slugOf(next)}">Next: ${escapeHtml(next)}</a>`;
  const body =
    `<nav class="beneath" aria-label="Reference"><a href="/reference">All groups</a>${following}</nav><div id="redoc"></div>` +
    '<script src="/reference/redoc.js"></script><script src="/reference/start.js"></script>';
  return sitePage({ here: '/reference', title: `${escapeHtml(name)}: reference`, body });
}

/** Redoc lists each operation without its group. */
function ofGroup(tag: string, paths: Paths): Paths {
  const kept = Object.entries(paths).map(([path, item]) => [
    path,
    Object.entries(item).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [[method, { ...operation, tags: [] }]] : [],
    ),
  ]);
  return Object.fromEntries(
    kept.flatMap(([path, item]) => (item!.length > 0 ? [[path, Object.fromEntries(item as [string, object][])]] : [])),
  ) as Paths;
}

function documentOf(tag: string, { openapi, paths, webhooks, components, tags }: ReferenceDocument): object {
  const own = { paths: ofGroup(tag, paths), webhooks: ofGroup(tag, webhooks) };
  const used: Record<string, Record<string, unknown>> = { securitySchemes: { ...components['securitySchemes'] } };
  const queue: unknown[] = [own];
  for (const part of queue)
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used[kind!]?.[name!] !== undefined) continue;
      (used[kind!] ??= {})[name!] = components[kind!]![name!];
      queue.push(components[kind!]![name!]);
    }
  const { description } = tags.find(({ name }) => name === tag)!;
  return { openapi, info: { title: tag, description, version: '' }, ...own, components: used };
}
