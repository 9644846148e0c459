import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * The texts of the project use plain, literal English: they name the actor and use the field's terms. This test refuses the words
 * that the project used for something else. The OpenAPI document needs no entry: it is generated from the comments in src.
 */
interface Rule {
  /** The words are separated by single spaces. The test lets a line break and a comment marker stand for each space. */
  readonly words: RegExp;
  readonly instead: string;
  /** A sentence that the rule must refuse. */
  readonly refused: string;
  /** A sentence that the rule must accept. */
  readonly accepted?: string;
  readonly except?: RegExp;
}

const ACTOR = 'name the actor: caller, user, operator, app, process, replica, worker';

const rules: readonly Rule[] = [
  { words: /nobody|somebody|anybody|everybody/, instead: ACTOR, refused: 'Nobody holds the lock.' },
  { words: /no one|someone|anyone|everyone/, instead: ACTOR, refused: 'Someone else holds the lock.' },
  { words: /whoever|whomever/, instead: ACTOR, refused: 'Whoever holds the lock continues.' },
  {
    words: /one's|one who|(?<=(^|[.;:,(]|if|when|what|that|as|how|before|unless) )one (may|must|can|should|has to)/,
    instead: ACTOR,
    refused: 'The address belongs to the one who proves it.',
    accepted: 'Of two calls, only one may succeed.',
  },
  {
    words: /others/,
    instead: 'name what they are',
    refused: 'It waits for the others.',
    accepted: 'the other replicas',
  },
  { words: /tell|tells|told|telling/, instead: 'reports, returns, says', refused: 'The node tells its height.' },
  { words: /lanes?/, instead: 'sender queue', refused: 'Each lane has a lock.', accepted: 'a plane' },
  {
    words: /(?<!by |other )hands?(?!-| ?written)/,
    instead: 'worker slot, concurrency limit',
    refused: 'A free hand takes the job.',
    accepted: 'The handler is called; SQL that is written by hand.',
  },
  {
    words: /turns?|turned|turning/,
    instead: 'event loop turn (only about src/postgres), round trip, becomes',
    refused: 'Each request takes its turn.',
    accepted: 'It returns the result.',
    except: /^(src|test)\/postgres\//,
  },
  { words: /lest/, instead: 'so that … not', refused: 'It locks the row lest two callers win.' },
  { words: /in vain/, instead: 'without result', refused: 'It was tried in vain.' },
  { words: /for ever|forever/, instead: 'without end, permanently', refused: 'A row is kept for ever.' },
  { words: /by now/, instead: 'already', refused: 'It has expired by now.' },
  { words: /all the same/, instead: 'nevertheless', refused: 'It is stored all the same.' },
  { words: /as good as|had better/, instead: 'almost, should', refused: 'It is as good as sent.' },
  { words: /for certain/, instead: 'deterministic, exactly once, proven', refused: 'It is known for certain.' },
  { words: /in the clear/, instead: 'plaintext', refused: 'Keys are kept in the clear.' },
  { words: /to be had/, instead: 'shown only once', refused: 'It is not to be had again.' },
  { words: /shall/, instead: 'must, may, should', refused: 'A caller shall wait.' },
  { words: /dearer/, instead: 'with a higher fee', refused: 'A dearer transaction replaces it.' },
  { words: /away/, instead: 'unavailable', refused: 'The node is away.' },
  {
    words: /young|younger|youngest|(?<!(seconds?|minutes?|hours?|days?|ms|s) )old/,
    instead: 'current, previous, new',
    refused: 'Old connections are closed.',
    accepted: 'The row is five minutes old; the oldest session ends.',
  },
  { words: /wish|wishes|wished/, instead: 'options, request, command', refused: 'The wishes of the caller.' },
  { words: /standing/, instead: 'status, stage', refused: 'The standing of the transfer.', accepted: 'outstanding' },
  { words: /sticks?|sticking/, instead: 'mark stuck', refused: 'The transfer may stick.', accepted: 'It is stuck.' },
  { words: /bury|buries|buried/, instead: 'mark dead', refused: 'The job is buried.' },
  { words: /rouses?|roused/, instead: 'wake up', refused: 'A change rouses the worker.' },
  {
    words: /ways? in(?! (which|the|a|an)\b)/,
    instead: 'sign-in method, credential',
    refused: 'The last way in stays.',
  },
  { words: /house|houses/, instead: 'project, service', refused: 'The rules of the house.' },
  { words: /so many/, instead: 'the number, with its unit', refused: 'It waits so many seconds.' },
  { words: /whatever/, instead: 'name the cases', refused: 'It is stored, whatever the status.' },
  { words: /what (a|the) review found/, instead: 'what was wrong', refused: 'What a review found.' },
];

/** Phrases that are right where they stand. */
const ALLOWED: readonly { readonly file: string; readonly phrase: string; readonly because: string }[] = [];

/** Folders whose texts are not rewritten yet. */
const PENDING: readonly string[] = [];

interface Text {
  readonly value: string;
  readonly position: number;
}

/** What a person reads of a file of TypeScript, JavaScript or JSON with comments. */
function textsOf(source: ts.SourceFile, also: { readonly literals: boolean; readonly names: boolean }): Text[] {
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (also.names && (ts.isIdentifier(node) || isKeyOfJson(node))) {
      found.push({ value: wordsOf(node.text), position: node.getStart(source) });
    } else if (also.literals ? isLiteral(node) : isTestName(node)) {
      found.push({ value: node.getText(source), position: node.getStart(source) });
    }
    if (children.length > 0) return children.forEach(visit);
    // Everything between the previous token and this one that is not white space is a comment.
    const comments = source.text.slice(node.getFullStart(), node.getStart(source));
    if (comments.trim() !== '') found.push({ value: comments, position: node.getFullStart() });
  };
  visit(source);
  return found;
}

function isLiteral(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
}

function isKeyOfJson(node: ts.Node): node is ts.StringLiteral {
  return ts.isStringLiteral(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
}

/** The first argument of `describe`, `it`, `test` and their variants (`it.each(…)(…)`). */
function isTestName(node: ts.Node): boolean {
  if (!ts.isCallExpression(node.parent ?? node) || !isLiteralOrTemplate(node)) return false;
  const call = node.parent as ts.CallExpression;
  return call.arguments[0] === node && /^(describe|it|test)\b/.test(call.expression.getText());
}

function isLiteralOrTemplate(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** `nextTurn` and `next_turn` are two words each. */
const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');

const patterns = new Map(
  rules.map((rule) => [rule, new RegExp(`(?<![\\w-])(?:${rule.words.source.replaceAll(' ', '\\s+')})(?!\\w)`, 'gi')]),
);

/** Most texts contain none of the words: one search finds that out. */
const anyPattern = new RegExp([...patterns.values()].map(({ source }) => source).join('|'), 'i');

function offencesIn(file: string, texts: readonly Text[]): { rule: Rule; phrase: string; position: number }[] {
  return texts.flatMap(({ value, position }) => {
    const plain = value.replace(/\n[ \t]*(\/\/+|\*(?!\/)|#+|--|>)?/g, (line) => ' '.repeat(line.length));
    if (!anyPattern.test(plain)) return [];
    return rules
      .filter(({ except }) => !except?.test(file))
      .flatMap((rule) =>
        [...plain.matchAll(patterns.get(rule)!)].map((match) => ({
          rule,
          phrase: plain.slice(Math.max(0, match.index - 30), match.index + 30).trim(),
          position: position + match.index,
        })),
      );
  });
}

/** Reads one file of the project: which of its texts count depends on where it is. */
function readTexts(file: string, content: string): Text[] {
  if (/\.(tsx?|mjs|cjs|json)$/.test(file)) {
    const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
    const ships = file.startsWith('src/');
    return textsOf(source, { literals: ships, names: ships });
  }
  if (file.endsWith('.md')) return [{ value: content, position: 0 }];
  if (file.endsWith('.sql'))
    return [{ value: content.replace(/^(?!\s*--).*$/gm, (code) => ' '.repeat(code.length)), position: 0 }];
  // YAML, Dockerfile, shell and lists of files: the comments, with everything else blanked out so that positions stay.
  return [{ value: content.replace(/^[^#\n]*(?<=^|\s)#|^[^#\n]+$/gm, (code) => ' '.repeat(code.length)), position: 0 }];
}

const FOLDERS = ['.ci', 'docker', 'migrations', 'openapi', 'src', 'test'];
const READ =
  /\.(tsx?|mjs|cjs|md|yaml)$|^src\/.*\.sql$|Dockerfile$|^\.ci\/(run|busy)$|^src\/(console\/strings|modules\/[^/]+\/console\/texts)\.json$|^\.(oxlintrc\.json|\w+ignore)$/;

function filesOf(project: string): string[] {
  const inFolders = FOLDERS.flatMap((folder) => {
    const entries = readdirSync(join(project, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  });
  return [...inFolders, ...readdirSync(project).map((name) => join(project, name))]
    .map((path) => relative(project, path).split(sep).join('/'))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file) && READ.test(file));
}

function offences(project: string): string[] {
  const unusedPermits = new Set(ALLOWED);
  const found: string[] = [];
  for (const file of filesOf(project)) {
    if (PENDING.some((folder) => file.startsWith(folder))) continue;
    const content = readFileSync(join(project, file), 'utf8');
    for (const { rule, phrase, position } of offencesIn(file, readTexts(file, content))) {
      const permit = ALLOWED.find((allowed) => allowed.file === file && phrase.includes(allowed.phrase));
      if (permit) unusedPermits.delete(permit);
      else {
        const line = content.slice(0, position).split('\n').length;
        found.push(`${file}:${line}: "${phrase}": ${rule.instead}`);
      }
    }
  }
  return [...found, ...[...unusedPermits].map(({ file, phrase }) => `ALLOWED is not needed: ${file}: ${phrase}`)];
}

describe('the language of the project', () => {
  it('has no banned word in its comments, texts, names and test names', () => {
    expect(offences(join(__dirname, '../..'))).toEqual([]);
  });

  it('permits at most twenty phrases', () => {
    expect(ALLOWED.length).toBeLessThanOrEqual(20);
  });

  it.each(rules.map((rule) => [rule.refused, rule] as const))('refuses the sentence: %s', (sentence, rule) => {
    const wrapped = sentence.replaceAll(' ', '\n   * ');
    const camelCase = sentence.replace(/\W+(\w)/g, (_match, letter: string) => letter.toUpperCase()).replace('.', '');
    const places: [string, string][] = [
      ['src/a.ts', `// ${sentence}\n`],
      ['src/a.ts', `/**\n   * ${wrapped}\n   */\nexport const a = 1;`],
      ['src/a.ts', `throw new Error(\`\${a}: ${sentence}\`);`],
      ['src/a.ts', `const text = ${JSON.stringify(sentence)};`],
      ['migrations/a.ts', `/* ${sentence} */`],
      ['src/a/sql/a.sql', `  -- ${sentence.replaceAll(' ', '\n  -- ')}\nselect 1;`],
      ['test/a.spec.ts', `it(${JSON.stringify(sentence)}, () => {});`],
      ['test/a.spec.ts', `describe.each([1])(${JSON.stringify(sentence)}, () => {});`],
      ['docker/README.md', `- ${sentence.replaceAll(' ', '\n  ')}`],
      ['docker/compose.yaml', `name: a # ${sentence}`],
      ['src/console/a.tsx', `const a = <p>\n  ${sentence}\n</p>;`],
      ['src/console/strings.json', JSON.stringify({ a: sentence }, null, 2)],
      ['.oxlintrc.json', `{\n  // ${sentence}\n  "rules": {}\n}`],
      ['.ci/busy', `# ${sentence}\n`],
    ];
    if (!/\W/.test(sentence.slice(0, -1).replaceAll(' ', ''))) places.push(['src/a.ts', `const ${camelCase} = 1;`]);
    for (const [file, content] of places) {
      expect({
        file,
        content,
        rules: offencesIn(file, readTexts(file, content)).map((found) => found.rule.words),
      }).toEqual({
        file,
        content,
        rules: expect.arrayContaining([rule.words]),
      });
    }
  });

  it.each(rules.flatMap(({ accepted }) => accepted ?? []))('accepts the sentence: %s', (sentence) => {
    expect(offencesIn('src/a.ts', readTexts('src/a.ts', `// ${sentence}\n`))).toEqual([]);
  });

  it('reads the files of every language, also those at the root', () => {
    const files = filesOf(join(__dirname, '../..'));
    expect(files).toEqual(
      expect.arrayContaining([
        'README.md',
        '.module-borders.cjs',
        '.oxlintrc.json',
        '.ci/busy',
        'src/console/main.tsx',
        'src/console/strings.json',
        'src/modules/apps/console/texts.json',
      ]),
    );
  });

  it('reads the keys of texts of the console', () => {
    expect(
      offencesIn('src/console/strings.json', readTexts('src/console/strings.json', '{ "nextTurn": "Next" }')),
    ).toHaveLength(1);
  });

  it('reads neither code of tests nor values of YAML', () => {
    expect(offencesIn('test/a.spec.ts', readTexts('test/a.spec.ts', "const away = 'nobody';"))).toEqual([]);
    expect(offencesIn('docker/a.yaml', readTexts('docker/a.yaml', 'name: nobody'))).toEqual([]);
  });
});
