// npm run module -- <name> writes a small module: the files of .ci/module, in which `gift-card` becomes the name, and the lines outside
// its folder. With --check the commands of the guide run in a copy of the sources, as they stand there.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const project = join(import.meta.dirname, '..');
const templates = join(import.meta.dirname, 'module');
const TEMPLATE = 'gift-card';
/** The name that the check writes where a module has that of the template, as after the first command of the guide. */
const OTHER = 'luggage-tag';
const TEMPLATE_TIME = '1764000000000';
const MOST_CHARACTERS = 30;

/** The lines outside the folder: the file, the text before which the line is added (null is the end of the file), and the line. */
const LINES = [
  ['src/modules/index.ts', null, "export { GiftCardModule } from './gift-card/index.js';\n"],
  ['migrations/index.ts', null, `export { GiftCard${TEMPLATE_TIME} } from './${TEMPLATE_TIME}-gift-card.js';\n`],
  ['.module-borders.cjs', '};\n', "  'gift-card': ['apps', 'identity'],\n"],
  [
    'src/edge/openapi/glossary.ts',
    '  webauthn: ',
    "  gift_card_settings: 'The settings of gift cards; null in a request sets the defaults.',\n",
  ],
  [
    'src/postgres/README.md',
    '\nA transaction that holds a row must not lock it later',
    '- `GiftCardRepository.lock`: gift card, `FOR UPDATE` → a lock, a deletion of its user\n',
  ],
  ['src/kernel/ids.ts', '} as const;', "  giftCard: 'giftcard',\n"],
  ['src/kernel/ids.ts', 'export type UserId = ', "export type GiftCardId = Id<'giftCard'>;\n"],
  ['package.json', '"kernel",', '"gift-card",\n          '],
  [
    'src/dev/demo-objects.ts',
    'import { emailAddress',
    "import { GiftCard, GiftCardRepository } from '../modules/gift-card/domain/gift-card.js';\n",
  ],
  [
    'src/dev/demo-objects.ts',
    '  const second = User.create',
    "  const giftCard = GiftCard.create(appId, { userId, name: 'First' }, now);\n  await the(GiftCardRepository).insert(evolve(giftCard, { id: exampleId('giftCard') }));\n\n",
  ],
];

/** The texts by which a name is recognised as used, in template spelling. */
const USES = [
  ['package.json', '"gift-card"', 'a scope of commits or a package'],
  ['src/kernel/ids.ts', ": 'giftcard',", 'a prefix of ids'],
  ['src/kernel/ids.ts', "  giftCard: '", 'a kind of ids'],
  ['migrations/schema.sql', ' gift_cards ', 'a table'],
  ['openapi/openapi.json', '"/v1/gift_cards', 'a path'],
  ['openapi/openapi.json', '"GiftCardResponse"', 'a schema of the API document'],
  ['src/edge/openapi/tags.ts', "name: 'gift cards'", 'a group of operations'],
];

/** A variable cannot have one of these names. */
const RESERVED =
  /^(arguments|async|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/;

class Refused extends Error {}

/** The spellings of a name: those of many objects first, because they contain those of one. */
function spellings(name) {
  const words = name.split('-');
  const last = words.at(-1);
  const plural = /(s|x|z|ch|sh)$/.test(last) ? `${last}es` : `${last.replace(/(?<=[^aeiou])y$/, 'ie')}s`;
  return [[...words.slice(0, -1), plural], words].flatMap((each) => {
    const pascal = each.map(capital).join('');
    return [
      pascal,
      pascal[0].toLowerCase() + pascal.slice(1),
      each.join('-'),
      each.join('_'),
      each.join(' '),
      each.join(''),
    ];
  });
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** Replaces the name of the template in all its spellings. */
function renaming(name, time) {
  const from = spellings(TEMPLATE);
  const to = spellings(name);
  const article = /^[aeiou]/.test(name) ? 'n' : '';
  return (text) => {
    const begun = text.replaceAll(TEMPLATE_TIME, time).replaceAll(/\b([Aa]) (?=gift card\b)/g, `$1${article} `);
    const named = from.reduce((renamed, spelling, index) => renamed.replaceAll(spelling, to[index]), begun);
    return named.replaceAll('Gift card', capital(name.replaceAll('-', ' ')));
  };
}

function requireName(root, name) {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name) || name.length > MOST_CHARACTERS)
    throw new Refused(
      `"${name}" is not the name of a module. Name its object in the singular, in lower-case letters and hyphens, at most ${MOST_CHARACTERS}: npm run module -- gift-card`,
    );
  if (RESERVED.test(name)) throw new Refused(`${name} is a word of TypeScript. Choose another name.`);
  if (existsSync(join(root, 'src/modules', name))) throw new Refused(`The module ${name} exists already.`);
  const renamed = renaming(name, TEMPLATE_TIME);
  for (const [file, text, use] of USES)
    if (readFileSync(join(root, file), 'utf8').includes(renamed(text)))
      throw new Refused(`${name} is ${use} already: see ${file}. Choose another name.`);
}

/** Writes the module into the sources below `root`, and returns its files and the changed ones. */
function write(root, name) {
  requireName(root, name);
  const latest = Math.max(...readdirSync(join(root, 'migrations')).map((file) => Number.parseInt(file, 10) || 0));
  const renamed = renaming(name, String(Math.max(latest + 1, Date.now())));
  const sources = readdirSync(templates, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = sources.map(({ parentPath, name: file }) => {
    const source = join(parentPath, file);
    const target = renamed(source.slice(templates.length + 1));
    mkdirSync(dirname(join(root, target)), { recursive: true });
    writeFileSync(join(root, target), renamed(readFileSync(source, 'utf8')));
    return target;
  });
  for (const [file, before, line] of LINES) {
    const text = readFileSync(join(root, file), 'utf8');
    const place = before === null ? text.length : text.indexOf(before);
    if (place < 0) throw new Error(`${file} has no ${before}, before which a line is added.`);
    writeFileSync(join(root, file), text.slice(0, place) + renamed(line) + text.slice(place));
  }
  const changed = [...new Set(LINES.map(([file]) => file))];
  run(root, 'prettier/bin/prettier.cjs', '--write', '--log-level=warn', ...written, ...changed);
  return [...written, ...changed];
}

function run(root, program, ...args) {
  const command = [join(project, 'node_modules', program), ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Refused(`${program.split('/')[0]} failed, see above.`);
}

/** The commands of the guide, of which the first writes the module. */
function commandsOfGuide() {
  const guide = readFileSync(join(project, 'src/modules/README.md'), 'utf8');
  const commands = /```\n(npm run module -- [^`]+)```/.exec(guide)[1].trim();
  // In the gate, beside the tests, calls of every route would get too little of the processor to end in time.
  return (process.env.IS_BESIDE_TESTS ? commands.replace(/ test\/(contract|postgres)\S*/g, '') : commands).split('\n');
}

/** Runs the commands of the guide in a copy of the sources. The last one runs all checks, of which this one is left out there. */
function check() {
  const copy = mkdtempSync(join(tmpdir(), 'module-'));
  try {
    const left = ['.git', 'coverage', 'data', 'dist', 'node_modules'];
    for (const name of readdirSync(project).filter((each) => !left.includes(each)))
      cpSync(join(project, name), join(copy, name), { recursive: true });
    symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'), 'junction');
    const name = existsSync(join(copy, 'src/modules', TEMPLATE)) ? OTHER : TEMPLATE;
    for (const command of commandsOfGuide()) {
      const env = { ...process.env, IS_MODULE_CHECK: '1' };
      const { status } = spawnSync(command.replaceAll(TEMPLATE, name), {
        cwd: copy,
        shell: true,
        stdio: 'inherit',
        env,
      });
      if (status !== 0) throw new Refused(`"${command}" of src/modules/README.md failed, see above.`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

try {
  const [name = ''] = process.argv.slice(2);
  if (name === '--check') {
    check();
  } else {
    const files = write(project, name);
    console.log(
      `Written and changed:\n${files.map((file) => `  ${file}\n`).join('')}Then the commands of src/modules/README.md, the first of which is: npm run openapi`,
    );
  }
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
