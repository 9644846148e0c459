// Builds the documentation into dist/guide: static pages of openapi/guide and of the READMEs, the look that all pages of the service share,
// the texts for their search, and llms.txt.
import syntaxHighlight from '@11ty/eleventy-plugin-syntaxhighlight';
import Eleventy from '@11ty/eleventy';
import { build } from 'esbuild';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawSequence } from './sequence.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => readFileSync(at(path), 'utf8');
const SOURCE = 'openapi/guide';
const LOOK = 'openapi/look';
const OUTPUT = at('dist/guide');

/** A page by its entry in contents.json: the name of a file in openapi/guide, whose front matter has the rest, or all of it. */
function pageOf(entry) {
  const slug = entry.slug ?? entry;
  const file = entry.file ?? `${SOURCE}/${slug}.md`;
  const [, front = '', text] = /^(?:---\n([\s\S]*?)\n---\n)?([\s\S]*)$/.exec(read(file));
  const own = Object.fromEntries([...front.matchAll(/^(\w+): (.*)$/gm)].map(([, name, value]) => [name, value]));
  return { ...own, ...entry, slug, file, text, url: slug === 'index' ? '/guide' : `/guide/${slug}` };
}

const contents = JSON.parse(read(`${SOURCE}/contents.json`)).map(({ section, pages }) => ({
  section,
  pages: pages.map(pageOf),
}));
const pages = contents.flatMap((each) => each.pages);
const urls = new Map(pages.map(({ file, url }) => [file, url]));

/** The anchor that GitHub gives a heading. */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** Changes Markdown outside of its blocks of code. */
const outsideOfCode = (text, change) =>
  text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

/** Relative links lead to pages. A link to a file that is no page, such as a source, becomes its text. */
const withLinks = (text, file) =>
  outsideOfCode(text, (part) =>
    part.replace(
      /\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|[/#])([^)#\s]+)(#[^)]*)?\)/g,
      (_, words, path, anchor = '') => {
        const url = urls.get(posix.join(posix.dirname(file), path));
        return url ? `[${words}](${url}${anchor})` : words;
      },
    ),
  );

/** The text of a section, without its heading. */
function sectionOf(file, anchor) {
  const parts = read(file).split(/^(#{1,6} .*)$/m);
  const start = parts.findIndex((part) => /^#+ /.test(part) && slugOf(part.replace(/^#+ /, '')) === anchor);
  if (start < 0) throw new Error(`${file} has no section #${anchor}.`);
  const level = parts[start].indexOf(' ');
  const end = parts.findIndex((part, index) => index > start && /^#+ /.test(part) && part.indexOf(' ') <= level);
  return parts
    .slice(start + 1, end < 0 ? undefined : end)
    .join('')
    .trim();
}

/** A page includes a section of a README, or a source that a test runs, so that each text is written once. */
const markdownOf = ({ file, text }) =>
  withLinks(text, file)
    .replace(/^<!-- include (\S+)#(\S+) -->$/gm, (_, path, anchor) => {
      const source = posix.join(posix.dirname(file), path);
      return withLinks(sectionOf(source, anchor), source);
    })
    .replace(
      /^<!-- code (\S+)\.(\w+) -->$/gm,
      (_, path, language) =>
        `\`\`\`${language}\n${read(posix.join(posix.dirname(file), `${path}.${language}`)).trim()}\n\`\`\``,
    );

/** Names of the regions of a page differ. */
const regionOf = (kind, { meta: { number } }) =>
  `<div class="wide" role="region" aria-label="${kind} ${number}" tabindex="0">`;

function configureMarkdown(md) {
  md.set({ html: false });
  md.core.ruler.push('attributes', ({ tokens }) => {
    const used = new Map();
    let regions = 0;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open' || token.type === 'fence') token.meta = { number: (regions += 1) };
      // A heading of a table that says nothing is none.
      if (token.type === 'th_open' && tokens[index + 1].content === '')
        for (const each of [token, tokens[index + 2]]) each.tag = 'td';
      // The policy of the pages permits no style attribute, by which a column is aligned.
      if (/^t[hd]_open$/.test(token.type) && token.attrGet('style') === 'text-align:right')
        token.attrs = [['class', 'right']];
      if (token.type !== 'heading_open') continue;
      const words = tokens[index + 1].children.map(({ content }) => content).join('');
      const slug = slugOf(words);
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      token.attrSet('id', count === 0 ? slug : `${slug}-${count}`);
    }
  });
  const { fence } = md.renderer.rules;
  Object.assign(md.renderer.rules, {
    // A table that is wider than the page can be scrolled, also by keyboard.
    table_open: (tokens, index) => `${regionOf('Table', tokens[index])}<table>\n`,
    table_close: () => '</table></div>\n',
    // A sequence is drawn. Any other diagram would need a browser at the build, and stays text.
    fence: (tokens, index, ...rest) => {
      const { info, content } = tokens[index];
      const code = fence(tokens, index, ...rest).replace(/^<pre(?![^>]*tabindex)/, '<pre tabindex="0"');
      if (info !== 'mermaid') return code;
      return content.startsWith('sequenceDiagram')
        ? `${regionOf('Sequence', tokens[index])}${drawSequence(content)}</div>\n`
        : `<details><summary>Diagram, as Mermaid text</summary>${code}</details>\n`;
    },
  });
}

const plain = (html) =>
  html
    .replaceAll(/<\/?(a|code|em|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
const headingsOf = (html) =>
  [...html.matchAll(/<h2 id="([^"]*)"[^>]*>(.*?)<\/h2>/g)].map(([, id, words]) => ({ id, text: plain(words) }));

// Eleventy reads paths from the working directory.
process.chdir(at(''));
const eleventy = new Eleventy(SOURCE, 'dist/guide', {
  quietMode: true,
  config: (config) => {
    config.setUseGitIgnore(false);
    config.ignores.add(`${SOURCE}/**/*.md`);
    config.setTemplateFormats(['md']);
    config.addPlugin(syntaxHighlight, { preAttributes: { tabindex: 0 } });
    config.amendLibrary('md', configureMarkdown);
    config.addFilter('headings', headingsOf);
    config.addGlobalData('contents', contents);
    config.addGlobalData('header', read(`${LOOK}/header.html`).replace('"/guide">G', '"/guide" aria-current="page">G'));
    for (const page of pages) {
      const { title, description, slug, url } = page;
      const data = {
        title,
        description,
        url,
        layout: 'page.njk',
        permalink: `${slug}.html`,
        templateEngineOverride: 'md',
      };
      config.addTemplate(`pages/${slug}.md`, markdownOf(page), data);
    }
  },
});

/** The texts that the search finds: a page up to its first heading, and each section. */
function sectionsOf({ title, url }, html) {
  const [, article] = /<article>([\s\S]*)<\/article>/.exec(html);
  return article.split(/(?=<h[23] id=)/).map((part, index) => {
    const [, id, heading] = /^<h[23] id="([^"]*)"[^>]*>(.*?)<\/h/.exec(part) ?? [];
    const text = plain(part.replace(/^\s*<h[1-3][^>]*>.*?<\/h[1-3]>/, ''));
    return { id: index === 0 ? url : `${url}#${id}`, page: title, heading: index === 0 ? title : plain(heading), text };
  });
}

function write(name, content) {
  const file = join(OUTPUT, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

rmSync(OUTPUT, { recursive: true, force: true });
const rendered = new Map((await eleventy.toJSON()).map(({ url, content }) => [url, content]));
const sections = [];
for (const page of pages) {
  const html = rendered.get(page.slug === 'index' ? '/' : `/${page.slug}.html`);
  if (!html) throw new Error(`Eleventy made no page ${page.slug}.`);
  write(`${page.slug}.html`, html);
  write(`${page.slug}.md`, markdownOf(page).trimStart());
  sections.push(...sectionsOf(page, html));
}
/** The details of errors by their types; empty for one without an example. */
const details = new Map();
const document = JSON.parse(read('openapi/openapi.json'), (_, value) => {
  for (const type of value?.error_type?.enum ?? []) if (!details.has(type)) details.set(type, '');
  if (typeof value?.error_type === 'string' && value.detail) details.set(value.error_type, value.detail);
  return value;
});
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, summary, tags }]) => ({
    id: `/reference/${slugOf(tags[0])}#operation/${operationId}`,
    page: 'Call',
    heading: summary,
    text: `${method.toUpperCase()} ${path} ${operationId}`,
  })),
);
const errors = [...details].map(([type, detail]) => ({
  id: `/errors/${type}`,
  page: 'Error',
  heading: type.replaceAll('_', ' '),
  text: `${type} ${detail}`,
}));
write('search.json', JSON.stringify([...sections, ...operations, ...errors]));
cpSync(at(LOOK), OUTPUT, { recursive: true, filter: (file) => !/\.(css|js)$/.test(file) });
write(
  'llms.txt',
  [
    `# Identity and wallets\n\n> ${JSON.parse(read('package.json')).description}\n`,
    'The complete reference of all calls is the OpenAPI document at /openapi.json.\n',
    ...contents.map(({ section, pages: listed }) =>
      [
        `## ${section}\n`,
        ...listed.map((page) => `- [${page.title}](/guide/${page.slug}.md): ${page.description}`),
        '',
      ].join('\n'),
    ),
  ].join('\n'),
);
await build({
  entryPoints: [
    at(`${SOURCE}/search.js`),
    at(`${SOURCE}/style.css`),
    at(`${LOOK}/look.css`),
    at(`${LOOK}/docs.css`),
    at(`${LOOK}/reference.css`),
    at(`${LOOK}/reference.js`),
  ].map((file) => ({
    in: file,
    out: posix.basename(file).replace(/\.\w+$/, ''),
  })),
  outdir: OUTPUT,
  loader: { '.woff2': 'file' },
  assetNames: '[name]',
  bundle: true,
  minify: true,
  target: 'es2022',
  logLevel: 'warning',
});
