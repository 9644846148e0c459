import type { NestExpressApplication } from '@nestjs/platform-express';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sitePage } from '../pages/html-page.js';
import { pagePolicy, pagesOf } from '../pages/static-file.js';
import { Config } from '../../services/config/config.js';
import { basePathOf, htmlBelow } from '../http/base-path.js';
import { ROOT } from '../../services/root.js';
import { serveReference } from './serve-reference.js';

const require = createRequire(import.meta.url);

/** `src/dev` serves the buttons for the demo app. */
const pageFor = (isInDevelopment: boolean): string =>
  sitePage({
    here: '/docs',
    title: 'Try calls: identity and wallets',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="stylesheet" href="/guide/docs.css">',
    body:
      '<div class="docs"><nav id="groups" aria-label="Groups of calls"></nav><main id="content"><div id="demo"></div><div id="swagger-ui"></div></main></div>\n' +
      '<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script>' +
      (isInDevelopment ? '<script src="/docs/demo.js"></script>' : ''),
  });

// A separate file, because the policy refuses inline scripts. Without `validatorUrl: null`, Swagger UI sends the document's address
// to its makers. Keys stay in memory: every page of the origin can read localStorage. Swagger UI's own resolver takes 800 ms per
// operation, this one 10; a recursive schema stays a reference. The library's own filter finds groups only.
const startScript = (path: string): string => `const root = ${JSON.stringify(path)};
localStorage.removeItem('authorized');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
const resolveSubtree = async (document, path) => {
  const at = (names) => names.reduce((node, name) => node?.[name], document);
  const known = new Map();
  const resolved = (node, within) => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((each) => resolved(each, within));
    const { $ref: reference, ...rest } = node;
    if (typeof reference !== 'string' || !reference.startsWith('#/') || within.includes(reference))
      return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value, within)]));
    if (!known.has(reference)) {
      const names = reference.slice(2).split('/').map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
      known.set(reference, { ...resolved(at(names), [...within, reference]), $$ref: \`\${location.origin}\${root}/openapi.json\${reference}\` });
    }
    return { ...known.get(reference), ...resolved(rest, within) };
  };
  return { spec: resolved(at(path), []), errors: [] };
};
const opsFilter = (tags, phrase) => {
  const has = (text) => text.toLowerCase().includes(phrase.trim().toLowerCase());
  const isWanted = (each) => has([each.get('method'), each.get('path'), each.getIn(['operation', 'summary']), each.get('id')].join(' '));
  return tags
    .map((tag, name) => (has(name) ? tag : tag.update('operations', (operations) => operations.filter(isWanted))))
    .filter((tag) => tag.get('operations').size > 0);
};
// A group is in the page, and can be found by the browser's own search, only when it is near the window. So the way there is scrolled.
globalThis.reveal = async (tag, operation) => {
  const part = (text) => text.replaceAll(' ', '_');
  const id = operation ? ['operations', part(tag), operation].join('-') : ['operations-tag', part(tag)].join('-');
  globalThis.ui.layoutActions.show(operation ? ['operations', tag, operation] : ['operations-tag', tag], true);
  for (let top = 0; !document.getElementById(id) && top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }
  document.getElementById(id)?.scrollIntoView();
};
const list = (ui) => {
  const groups = document.querySelector('#groups');
  for (const { name } of ui.specSelectors.specJson().get('tags').toJS()) {
    const link = document.createElement('a');
    link.href = '#/' + encodeURIComponent(name);
    link.textContent = name;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.replaceState(null, '', link.href);
      void reveal(name);
    });
    groups.append(link);
  }
};
// After a call comes the next of its group that takes an id of the response, or the next at all. None deletes, and the example of each works.
const kindOf = (id) => /^([a-z]+)_[0-9a-z]{26}$/.exec(id)?.[1];
let described;
const nextOf = (path, method, ids) => {
  const { tags, paths, components } = (described ??= ui.specSelectors.specJson().toJS());
  const calls = tags.flatMap(({ name: tag }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => (operation.tags.includes(tag) ? [{ tag, path, method, operation }] : [])),
    ),
  );
  const at = calls.findIndex((each) => each.path === path && each.method === method);
  const later = calls.slice(at + 1).filter(({ method, operation }) => method !== 'delete' && !operation['x-refused-as-prefilled']);
  const inGroup = later.filter(({ tag }) => tag === calls[at].tag);
  const sends = /\\/(?:send|login_or_create|invite|magic_links\\/create)$/.test(path);
  const named = (each) => (each.$ref ? components.parameters[each.$ref.split('/').pop()] : each);
  const inPath = ({ parameters = [] }) => parameters.map(named).findLast((each) => each.in === 'path');
  const takesId = ({ operation }) => ids.has(kindOf(inPath(operation)?.example));
  return (sends && inGroup.find(({ path }) => path.endsWith('/verify'))) || inGroup.find(takesId) || later[0];
};
const idsIn = (text) => new Map([...text.matchAll(/\\b([a-z]+)_[0-9a-z]{26}\\b/g)].reverse().map(([id, kind]) => [kind, id]));
const open = async ({ tag, path, method, operation }, ids) => {
  await reveal(tag, operation.operationId);
  const block = document.getElementById(['operations', tag.replaceAll(' ', '_'), operation.operationId].join('-'));
  // The operation gets its example when it is drawn.
  const resolved = () => ui.specSelectors.specResolvedSubtree(['paths', path, method]);
  const isDrawn = () => resolved() && block.querySelector('.execute');
  for (let count = 0; count < 600 && !isDrawn(); count++) await new Promise((drawn) => requestAnimationFrame(drawn));
  for (const parameter of resolved()?.get('parameters') ?? []) {
    const id = ids.get(kindOf(parameter.get('example')));
    if (id) ui.specActions.changeParamByIdentity([path, method], parameter, id);
  }
  const example = operation.requestBody?.content['application/json']?.example;
  if (!example) return;
  const body = JSON.parse(JSON.stringify(example), (_, value) => ids.get(kindOf(value)) ?? value);
  const filled = { ...body, ...(await globalThis.valuesOf?.(operation.operationId)) };
  ui.oas3Actions.setRequestBodyValue({ value: JSON.stringify(filled, null, 2), pathMethod: [path, method] });
};
const liveResponse = (Original, { React }) => (props) => {
  const { response, path, method } = props;
  const ids = idsIn([response.get('text'), response.get('url')].join(' '));
  const isOk = response.get('status') >= 200 && response.get('status') < 300;
  const next = isOk && nextOf(path, method, ids);
  const onClick = (event) => {
    event.preventDefault();
    void open(next, ids);
  };
  const link = next && { className: 'next', href: '#/' + encodeURIComponent(next.tag) + '/' + next.operation.operationId, onClick };
  return React.createElement('div', null, link && React.createElement('a', link, 'Next: ' + next.operation.summary), React.createElement(Original, props));
};
// The page has one main element, and a button has no link in it.
const withoutMain = (node) =>
  Array.isArray(node)
    ? node.map(withoutMain)
    : node?.props
      ? { ...node, type: node.type === 'main' ? 'div' : node.type, props: { ...node.props, children: withoutMain(node.props.children) } }
      : node;
const demoted = new Set();
const demote = (layout) => {
  if (!layout?.render || demoted.has(layout)) return;
  demoted.add(layout);
  const { render } = layout;
  layout.render = function () { return withoutMain(render.call(this)); };
};
const wrapComponents = {
  // The library wraps the layout once more, for errors.
  BaseLayout: (Layout) => class extends Layout {
    render() {
      const drawn = super.render();
      demote(drawn.props.children?.type?.prototype);
      return drawn;
    }
  },
  DeepLink: (_, { React }) => ({ text }) => React.createElement('span', null, text),
  liveResponse,
};
// The library gives these no name for a screen reader, and texts that scroll no focus.
const LABELS = { '.body-param__text': 'Request body', '.examples-select-element': 'Example', '.close-modal': 'Close', '.content-type': 'Media type' };
new MutationObserver(() => {
  for (const [selector, label] of Object.entries(LABELS))
    for (const element of document.querySelectorAll(selector + ':not([aria-label])')) element.setAttribute('aria-label', label);
  for (const element of document.querySelectorAll('#swagger-ui pre:not([tabindex])')) element.tabIndex = 0;
  for (const button of document.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label');
}).observe(document.querySelector('#swagger-ui'), { childList: true, subtree: true });
globalThis.ui = SwaggerUIBundle({
  plugins: [() => ({ fn: { resolveSubtree, opsFilter }, wrapComponents })],
  onComplete: () => {
    document.querySelector('.operation-filter-input').placeholder = 'Filter by a word of the path, the title or the group';
    list(globalThis.ui);
    dispatchEvent(new Event('documentready'));
  },
  url: \`\${root}/openapi.json\`,
  dom_id: '#swagger-ui',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  filter: true,
});
`;

// The page of Swagger UI needs inline styles and the images in its style sheet, but no inline script and no `eval`.
const POLICY = pagePolicy("style-src 'self' 'unsafe-inline'", "img-src 'self' data:");

export function serveDocument(app: NestExpressApplication): void {
  const file = join(ROOT, 'openapi', 'openapi.json');
  if (!existsSync(file)) return;
  const serve = pagesOf(app);
  // The file is indented for reviews; the spaces are a third of it.
  const path = basePathOf(app.get(Config).baseUrl);
  const document = (): object => {
    const read = JSON.parse(readFileSync(file, 'utf8')) as object;
    return path === '' ? read : { ...read, servers: [{ url: path }] };
  };
  serve.file('/openapi.json', () => Buffer.from(JSON.stringify(document())), 'application/json; charset=utf-8');
  serveReference(app, document);
  const page = pageFor(app.get(Config).nodeEnv === 'development');
  serve.page('/docs', POLICY, htmlBelow(path, page));
  serve.file('/docs/start.js', () => Buffer.from(startScript(path)), 'text/javascript; charset=utf-8');
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  serve.file(
    '/docs/swagger-ui-bundle.js',
    () => readFileSync(join(root, 'swagger-ui-bundle.js')),
    'text/javascript; charset=utf-8',
  );
  // In a layer, all its rules give way to those of the look, whatever they select by.
  const style = () =>
    Buffer.from(`@layer important,swagger;@layer swagger{${readFileSync(join(root, 'swagger-ui.css'), 'utf8')}}`);
  serve.file('/docs/swagger-ui.css', style, 'text/css; charset=utf-8');
}
