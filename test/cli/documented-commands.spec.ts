import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/run-command.js';

const project = join(__dirname, '../..');

const PAGES = ['docker', 'openapi', 'src', 'test'].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(md|yaml|service)$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file)),
);

/** The commands that a page names, each as its words. Values that the reader fills in are `x`. */
function commandsIn(page: string, names: readonly string[]): string[][] {
  const begun = [...page.matchAll(/(?:npm run cli --|dist\/src\/cli\.js) ((?:'[^']*'|[^`'\n])+)/g)];
  const alone = [...page.matchAll(/`([a-z][a-z -]* --(?:'[^']*'|[^`'])+)`/g)].filter(([, words]) =>
    names.some((name) => words!.startsWith(`${name} --`)),
  );
  return [...begun, ...alone].map(([, words]) => {
    const [command] = words!.split(/ [|>&]|\s*\\?$/);
    return [...command!.matchAll(/'[^']*'|"[^"]*"|<[^>]*>|\S+/g)].map(([word]) =>
      /^['"<…]/.test(word) ? 'x' : word.replace(/[.,;:)]+$/, ''),
    );
  });
}

async function namesOfCommands(): Promise<string[]> {
  let text = '';
  await runCommand(['help'], { env: {}, terminal: { out: (part) => void (text += part), err: () => undefined } });
  return [...text.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*) {2}/gm)].map(([, name]) => name!);
}

async function faultOf(words: readonly string[]): Promise<string> {
  let text = '';
  const terminal = { out: () => undefined, err: (part: string) => void (text += part) };
  await runCommand([...words, '--help'], { env: {}, terminal });
  return text;
}

describe('the pages', () => {
  it('name commands and options that exist', async () => {
    const names = await namesOfCommands();
    const named = ['README.md', ...PAGES].flatMap((file) =>
      commandsIn(readFileSync(join(project, file), 'utf8'), names).map((words) => [file, words] as const),
    );
    expect(named.length).toBeGreaterThan(40);
    const faults: string[] = [];
    for (const [file, words] of named) {
      const fault = await faultOf(words);
      if (fault) faults.push(`${file}: ${words.join(' ')}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it('are refused for a command and for an option that do not exist', async () => {
    const page = '`npm run cli -- thaw --everything` or `npm run cli -- melt <it>`, with `thaw --none` and `npx x --y`';
    const faults = await Promise.all(commandsIn(page, await namesOfCommands()).map(faultOf));
    expect(faults).toEqual([
      expect.stringContaining("Unknown option '--everything'"),
      expect.stringContaining('The command melt does not exist'),
      expect.stringContaining("Unknown option '--none'"),
    ]);
  });
});
