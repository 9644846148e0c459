import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleId } from '../../kernel/examples.js';
import { Config } from '../../services/config/config.js';
import { escapeHtml } from '../../services/mail/words.js';
import { ROOT } from '../../services/root.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { sitePage } from '../pages/html-page.js';
import { pagePolicy, pagesOf } from '../pages/static-file.js';
import { addCodeSamples, postmanCollection, type SampledDocument } from './code-samples.js';
import { addPrompts } from './prompts.js';

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
  const withPrompts = (): ReferenceDocument => {
    const document = withSamples();
    addPrompts(document, app.get(Config).baseUrl);
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
      () => Buffer.from(JSON.stringify(documentOf(tag.name, withPrompts()))),
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
    `<div class="beneath"><nav aria-label="Reference"><a href="/reference">All groups</a>${following}</nav>${KEYS}</div>` +
    `<main id="redoc" data-app="${exampleId('app')}"></main>` +
    '<script src="/reference/redoc.js"></script><script src="/guide/reference.js"></script>';
  const head = '<link rel="stylesheet" href="/guide/reference.css">';
  return sitePage({ here: '/reference', title: `${escapeHtml(name)}: reference`, head, body });
}

const KEYS =
  '<details id="own-keys"><summary>Your keys in the samples</summary><div><label for="keys">Paste the lines that npm start printed, or keys and the id of your app:</label>' +
  '<textarea id="keys" rows="2" autocomplete="off" spellcheck="false"></textarea>' +
  '<output></output><p>They are not sent. This tab keeps the id of your app and keys for tests. All others, such as live and management keys, ' +
  'last until you leave or reload this page. <button type="button" hidden>Forget them</button></p></div></details>';

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
