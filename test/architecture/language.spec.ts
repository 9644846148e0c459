import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * The texts of the project use plain, literal English: they name the actor and use the field's terms. These are words that the project
 * once used for something else, each with its term.
 */
const TERMS: readonly { readonly words: RegExp; readonly instead: string; readonly refused: string }[] = [
  {
    // `--nobody-else` is the name of an option that operators know.
    words: /(?:no(?!body-else)|some|any|every)body|who(?:m)?ever/,
    instead: 'caller, user, operator, process',
    refused: 'Nobody holds the lock.',
  },
  { words: /tells?|told|telling/, instead: 'reports, returns, says', refused: 'The node tells its height.' },
  { words: /lanes?/, instead: 'sender queue', refused: 'Each lane has a lock.' },
  { words: /dearer/, instead: 'with a higher fee', refused: 'A dearer transaction replaces it.' },
  { words: /lest/, instead: 'so that … not', refused: 'It locks the row lest two callers win.' },
  { words: /shall/, instead: 'must, may, should', refused: 'A caller shall wait.' },
  { words: /wish(?:es|ed)?/, instead: 'options, request, command', refused: 'The wishes of the caller.' },
  { words: /bury|buries|buried/, instead: 'mark dead', refused: 'The job is buried.' },
  { words: /rouses?|roused/, instead: 'wake up', refused: 'A change rouses the worker.' },
  { words: /in\s+the\s+clear/, instead: 'plaintext', refused: 'Keys are kept in the clear.' },
];
const patterns = TERMS.map(({ words, instead }) => ({ words: new RegExp(`\\b(?:${words.source})\\b`, 'i'), instead }));

const project = join(__dirname, '../..');
const FOLDERS = ['.ci', 'docker', 'migrations', 'openapi', 'src', 'test'];
const READ = /\.(tsx?|mjs|cjs|md|yaml|sql)$|Dockerfile$|^\.ci\/(run|busy)$|^src\/.*\/?(strings|texts)\.json$/;

function files(): string[] {
  const entries = FOLDERS.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [...entries, ...readdirSync(project).map((name) => join(project, name))]
    .map((path) => relative(project, path).split(sep).join('/'))
    .filter((file) => READ.test(file) && !/(^|\/)(node_modules|dist|\.groups)\//.test(file));
}

/** Values in the code of a test, such as addresses, may be any words: its comments and names are read. */
function textOf(file: string): string {
  const text = readFileSync(join(project, file), 'utf8');
  if (!/^test\/.*\.ts$/.test(file)) return text;
  return text
    .split('\n')
    .filter((line) => /^\s*(\/\/|\/?\*|(describe|it)\b)/.test(line))
    .join('\n');
}

const offencesIn = (text: string): string[] =>
  patterns.filter(({ words }) => words.test(text)).map(({ words, instead }) => `${words.exec(text)?.[0]}: ${instead}`);

describe('the language of the project', () => {
  it('has the terms of the field', () => {
    const offences = files()
      .filter((file) => file !== 'test/architecture/language.spec.ts')
      .flatMap((file) => offencesIn(textOf(file)).map((offence) => `${file}: ${offence}`));
    expect(offences).toEqual([]);
  });

  it.each(TERMS.map(({ refused }) => refused))('refuses: %s', (sentence) => {
    expect(offencesIn(`// ${sentence}`)).toHaveLength(1);
  });
});

describe('the pages', () => {
  const wordsOf = (file: string): number =>
    readFileSync(join(project, file), 'utf8').split(/\s+/).filter(Boolean).length;
  const pages = files()
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .map((file) => ({ file, words: wordsOf(file) }));

  it('have at most 40,000 words, 1,500 in the README of a module, and 2,000 elsewhere', () => {
    expect(pages.length).toBeGreaterThan(80);
    expect(pages.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(40_000);
    const bound = (file: string): number => (/^src\/.*README\.md$/.test(file) ? 1_500 : 2_000);
    expect(pages.filter(({ file, words }) => words > bound(file))).toEqual([]);
  });
});
