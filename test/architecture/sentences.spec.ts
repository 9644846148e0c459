import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import nlp from 'compromise';
import ts from 'typescript';

/**
 * A comment is a sentence: a fragment whose noun stands elsewhere must be read twice. The comments of DTO classes and controllers are
 * the texts of the API document, so this test reads them too.
 */
const BEGINNINGS = /^(What|Whom|Of|For|Without|Also|Likewise)\b/;
const WHAT = /\bwhat\b/i;
const FINITE = '(#PresentTense|#PastTense|#Copula|#Modal|#Infinitive|#Imperative|#Auxiliary)';

/** Comments that are right as they are. */
const ALLOWED: readonly { readonly file: string; readonly comment: string; readonly because: string }[] = [];

interface Comment {
  readonly text: string;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

/** The comments without their markers. Lines that follow each other are one comment; the remarks of a TSDoc comment are one of their own. */
function commentsOf(content: string): Comment[] {
  const source = ts.createSourceFile('a.tsx', content, ts.ScriptTarget.Latest, true);
  const found: { raw: string; start: number; end: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(visit);
    const [from, to] = [node.getFullStart(), node.getStart(source)];
    // Between the previous token and this one stand only white space and comments.
    for (const match of content.slice(from, to).matchAll(/\/\*.*?\*\/|\/\/[^\n]*/gs)) {
      const [raw, start] = [match[0], from + match.index];
      const last = found.at(-1);
      const follows =
        last?.raw.startsWith('//') && raw.startsWith('//') && /^\n[ \t]*$/.test(content.slice(last.end, start));
      if (last && follows) Object.assign(last, { raw: `${last.raw}\n${raw}`, end: start + raw.length });
      else found.push({ raw, start, end: start + raw.length });
    }
  };
  visit(source);
  return found.flatMap(({ raw, start }) => {
    const text = raw.replaceAll(/^\s*(\/\/|\/\*+|\*(?!\/))[ \t]?|[ \t]*\*\/$/gm, '').trim();
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const [summary = '', ...tags] = text.split(/^@(?=\w)/m);
    const remarks = tags.filter((tag) => tag.startsWith('remarks')).map((tag) => tag.slice('remarks'.length));
    return [summary, ...remarks].map((each) => ({ text: each.trim(), line })).filter((each) => each.text !== '');
  });
}

/** The sources of the service and its migrations. */
function filesOf(project: string): string[] {
  return ['migrations', 'src']
    .flatMap((folder) => readdirSync(join(project, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** The faults of a comment; empty for a sentence. */
function faultsOf(comment: string): string[] {
  const prose = comment.replaceAll(/`[^`]*`/g, 'Thing').replaceAll(/\s+/g, ' ');
  const [first = ''] = prose.replaceAll(/\([^)]*\)/g, '').match(/^.*?([.:;!?](?= |$)|$)/) ?? [];
  return [
    ...(BEGINNINGS.test(comment) ? ['begins with a word that leaves its noun out'] : []),
    ...(WHAT.test(prose) && !prose.includes('?') ? ['uses "what" as a noun'] : []),
    ...(isSentence(first) ? [] : ['has no finite verb in its first sentence, which is no "The …" or "A …" either']),
  ];
}

function isSentence(text: string): boolean {
  if (/^(The|An?|Each|Every|All|No|One|This|These|Its?|Whether)\b/.test(text)) return true;
  // "Claims a job" leaves out its subject. With it, the verb is not taken for a plural.
  const completed = `it ${text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
  return nlp(completed).match(FINITE).found || nlp(text).match(FINITE).found;
}

function offences(project: string): string[] {
  const unused = new Set(ALLOWED);
  const found: string[] = [];
  for (const file of filesOf(project)) {
    for (const { text, line } of commentsOf(readFileSync(join(project, file), 'utf8'))) {
      const faults = faultsOf(text);
      if (faults.length === 0) continue;
      const permit = ALLOWED.find((allowed) => allowed.file === file && text.startsWith(allowed.comment));
      if (permit) unused.delete(permit);
      else found.push(`${file}:${line}: "${text.slice(0, 80)}" ${faults.join(', ')}`);
    }
  }
  return [...found, ...[...unused].map(({ file, comment }) => `ALLOWED is not needed: ${file}: ${comment}`)];
}

describe('the comments of the project', () => {
  it('are sentences', () => {
    expect(offences(join(__dirname, '../..'))).toEqual([]);
  });

  it('have at most twenty exceptions', () => {
    expect(ALLOWED.length).toBeLessThanOrEqual(20);
  });

  it.each([
    'What identifies a row.',
    'Of signatures, by the authenticator; 0 where it does not count.',
    'For signed bytes that are sent once `run` resolves.',
    'Without an end a range may begin earlier.',
    'Also accepts `lt`.',
    'Likewise for phone numbers.',
    'It stores what the provider issued.',
    'Newest first.',
    'Only with this status.',
    'In lower case.',
    'Epoch seconds.',
    'Such as: a stamp.',
  ])('a fragment is refused: %s', (comment) => {
    expect(faultsOf(comment)).not.toEqual([]);
  });

  it.each([
    'Stores a login before its provider is asked.',
    'Claims up to `limit` due deliveries for 30 s.',
    'The canonical address, or null if there is none.',
    'A button that asks before it acts.',
    'Check the balance before the gas is estimated.',
    'Transfers are listed newest first.',
    'Does the node lie? What if it does?',
  ])('a sentence is accepted: %s', (comment) => {
    expect(faultsOf(comment)).toEqual([]);
  });

  it('are read with their markers removed, and lines that belong together as one', () => {
    const source = `/** One\n * sentence.\n *\n * @remarks None. */\nconst a = 1; // two\n// lines\n// here\n`;
    expect(commentsOf(source).map(({ text }) => text)).toEqual(['One\nsentence.', 'None.', 'two\nlines\nhere']);
  });
});
