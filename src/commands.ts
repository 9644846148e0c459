import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { DomainError } from './kernel/domain-error.js';
import { evolve } from './kernel/entity.js';
import { type AppId, isId } from './kernel/ids.js';
import {
  CreateApp,
  CreateDemoApp,
  CreateManagementKey,
  IssueKey,
  type Requester,
  RevokeKey,
  RevokeManagementKey,
} from './modules/apps/index.js';
import { SessionFacade } from './modules/session/index.js';
import { Config, ConfigurationRefused } from './services/config/config.js';
import { verifyKeyring } from './services/crypto/key-check.js';
import { Rewrapping } from './services/crypto/rewrapping.js';
import { Keyring } from './services/crypto/keyring.js';
import { dataSourceOptions } from './postgres/data-source.js';
import { durabilityFaults } from './postgres/durability.js';
import { SystemClock } from './services/system-clock.js';
import { JobQueue } from './services/jobs/job-queue.js';
import { createLogger, NestLogger } from './services/observability/logger.js';
import { migrate, openDatabase } from './service.js';

/** Where a command writes: results to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What a command has to tell, one line each; with `--json` one object. */
type Result = Readonly<Record<string, string | number | boolean>>;

type Options = NonNullable<ParseArgsConfig['options']>;
type Values = Readonly<Record<string, string | boolean | undefined>>;

interface Command {
  readonly summary: string;
  /** The options it takes; those with a default may be left out, `required` may not. */
  readonly options?: Options;
  readonly required?: readonly string[];
  readonly run: (values: Values, place: Place) => Promise<Result>;
}

/** What a command works on, opened when it is first asked for. */
interface Place {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly databaseUrl: () => Promise<string>;
  readonly service: () => Promise<INestApplicationContext>;
}

/** Wrong usage, told with a hint at `--help`. Exit status 64 (EX_USAGE of sysexits(3)). */
class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** The command did its work, and what it found is not right. The result is printed, the exit status is 1. */
class NotWell extends Error {
  override readonly name = 'NotWell';
  constructor(readonly result: Result) {
    super('Not everything is well.');
  }
}

const AT_THE_MACHINE: Requester = { actor: 'cli', requestId: null };

const COMMANDS: Readonly<Record<string, Command>> = {
  migrate: {
    summary: 'Bring the database up to this version.',
    async run(_, { config, terminal, databaseUrl }) {
      let applied = 0;
      await migrate(config, await databaseUrl(), (line) => {
        applied++;
        terminal.err(`${line}\n`);
      });
      return { applied };
    },
  },
  seed: {
    summary: 'Create a demo app with redirect URLs on http://localhost:3001. Prints its keys, once.',
    async run(_, { service }) {
      const demo = await (await service()).get(CreateDemoApp).execute(AT_THE_MACHINE);
      const { app, secretKey, publicToken, redirectUrl } = demo;
      return { app_id: app.id, secret_key: secretKey, public_token: publicToken, redirect_url: redirectUrl };
    },
  },
  'create-management-key': {
    summary: 'Create a key of the management API. Prints it, once.',
    options: { name: { type: 'string', default: 'Made at the command line' } },
    async run({ name }, { service }) {
      return { ...(await (await service()).get(CreateManagementKey).execute(String(name))) };
    },
  },
  'revoke-management-key': {
    summary: 'Revoke a key of the management API.',
    options: { key: { type: 'string' } },
    required: ['key'],
    async run({ key }, { service }) {
      if (!isId('key', key)) throw new WrongUsage('--key takes the id of a key (key_…).');
      await (await service()).get(RevokeManagementKey).execute(key);
      return { revoked: key };
    },
  },
  'create-app': {
    summary: 'Create an app. Prints its first keys, once.',
    options: { name: { type: 'string' }, mode: { type: 'string', default: 'test' } },
    required: ['name'],
    async run({ name, mode }, { service }) {
      if (mode !== 'test' && mode !== 'live') throw new WrongUsage('--mode is test or live.');
      const created = await (await service()).get(CreateApp).execute(AT_THE_MACHINE, mode, { name: String(name) });
      return { app_id: created.app.id, secret_key: created.secretKey, public_token: created.publicToken };
    },
  },
  'create-key': {
    summary: 'Create a key of an app. Prints it, once.',
    options: {
      app: { type: 'string' },
      kind: { type: 'string', default: 'secret' },
      name: { type: 'string', default: 'Made at the command line' },
      'expires-at': { type: 'string' },
    },
    required: ['app'],
    async run({ app, kind, name, 'expires-at': expiresAt }, { service }) {
      if (kind !== 'secret' && kind !== 'public') throw new WrongUsage('--kind is secret or public.');
      const { key, text } = await (await service()).get(IssueKey).execute(AT_THE_MACHINE, appId(app), {
        kind,
        name: String(name),
        expiresAt: expiresAt === undefined ? null : time(String(expiresAt)),
      });
      return { id: key.id, key: text };
    },
  },
  'revoke-key': {
    summary: 'Revoke a key of an app. Every replica refuses it within a second.',
    options: { app: { type: 'string' }, key: { type: 'string' } },
    required: ['app', 'key'],
    async run({ app, key }, { service }) {
      if (!isId('key', key)) throw new WrongUsage('--key takes the id of a key (key_…).');
      await (await service()).get(RevokeKey).execute(AT_THE_MACHINE, appId(app), key);
      return { revoked: key };
    },
  },
  'rotate-signing-keys': {
    summary: "Let an app's next signing key sign its session JWTs from now on.",
    options: { app: { type: 'string' } },
    required: ['app'],
    async run({ app }, { service }) {
      return { rotated: await (await service()).get(SessionFacade).rotateSigningKeys(appId(app)) };
    },
  },
  rewrap: {
    summary:
      'Move all sealed values to the current master key. With --retire, let go of keys nothing is sealed under any more.',
    options: { retire: { type: 'boolean', default: false } },
    async run({ retire }, { service }) {
      const rewrapping = (await service()).get(Rewrapping);
      const { rewrapped, broken } = await rewrapping.rewrapAll();
      return { rewrapped, broken, ...(retire && { retired: (await rewrapping.retireUnused()).join(' ') || 'none' }) };
    },
  },
  'dead-jobs': {
    summary: 'List the jobs that were given up, with why. With --revive <id>, let one be tried again.',
    options: { revive: { type: 'string' } },
    async run({ revive }, { service }) {
      const queue = (await service()).get(JobQueue);
      if (typeof revive === 'string') return { revived: await queue.revive(revive) };
      const dead = await queue.dead(100);
      return Object.fromEntries(
        dead.map(({ id, kind, attempts, error }) => [id, `${kind}, ${attempts} tries: ${error}`]),
      );
    },
  },
  doctor: {
    summary: 'Tell what is wrong with configuration, database and keys. Exits with 1 when something is.',
    run: diagnose,
  },
};

/**
 * Runs one command of the operator and resolves to its exit status: 0 done, 1 refused or failed, 64 wrong usage, 78
 * configuration refused. Keys go to `out` only, so a log of `err` holds none.
 */
export async function runCommand(
  argv: readonly string[],
  {
    env,
    terminal = { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) },
  }: { env?: Readonly<Record<string, string | undefined>>; terminal?: Terminal } = {},
): Promise<number> {
  const [name, ...rest] = argv;
  const isJson = argv.includes('--json');
  const closing: (() => Promise<void>)[] = [];
  try {
    if (name === undefined || name === 'help' || name.startsWith('-')) {
      (name === undefined ? terminal.err : terminal.out)(overview());
      return name === undefined ? 64 : 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw new WrongUsage(`There is no command ${name}.`);
    const values = valuesOf(command, rest);
    if (values['help']) {
      terminal.out(usage(name, command));
      return 0;
    }
    // A command does not do the service's background work.
    const config = evolve<Config>(Config.read(env), { role: 'api' });
    show(await command.run(values, placeOf(config, terminal, closing)), isJson, terminal);
    return 0;
  } catch (error) {
    if (error instanceof NotWell) show(error.result, isJson, terminal);
    else tell(error, isJson, terminal);
    if (error instanceof WrongUsage) return 64;
    return error instanceof ConfigurationRefused ? 78 : 1;
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

function valuesOf({ options = {}, required = [] }: Command, args: string[]): Values {
  let values: Values;
  try {
    const common: Options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };
    ({ values } = parseArgs({ args, options: { ...options, ...common }, strict: true }) as { values: Values });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
  const missing = required.filter((option) => !values[option]);
  if (missing.length > 0 && !values['help']) {
    throw new WrongUsage(`${missing.map((option) => `--${option}`).join(', ')} must be given.`);
  }
  return values;
}

function placeOf(config: Config, terminal: Terminal, closing: (() => Promise<void>)[]): Place {
  let url: Promise<string> | undefined;
  const databaseUrl = (): Promise<string> => {
    url ??= openDatabase(config, (line) => terminal.err(`${line}\n`)).then((database) => {
      closing.push(database.close);
      return database.url;
    });
    return url;
  };
  const service = async (): Promise<INestApplicationContext> => {
    const logger = createLogger('silent');
    const settings = { config, databaseUrl: await databaseUrl(), logger };
    await withDataSource(config, settings.databaseUrl, async (dataSource) => {
      if (await dataSource.showMigrations()) throw new Error('The database lacks migrations. Run first: migrate');
    });
    const context = await NestFactory.createApplicationContext(AppModule.with(settings), {
      logger: new NestLogger(logger),
      abortOnError: false,
    });
    closing.push(() => context.close());
    return context;
  };
  return { config, terminal, databaseUrl, service };
}

async function diagnose(_: Values, { config, databaseUrl }: Place): Promise<Result> {
  const found: Record<string, string> = { configuration: 'ok', database: 'not reached' };
  let isWell = true;
  const check = async (name: string, finding: () => Promise<string>): Promise<void> => {
    try {
      found[name] = await finding();
    } catch (error) {
      isWell = false;
      found[name] = error instanceof Error ? error.message : String(error);
    }
  };
  await check('database', async () => {
    await withDataSource(config, await databaseUrl(), async (dataSource) => {
      let isMigrated = false;
      await check('migrations', async () => {
        if (await dataSource.showMigrations()) throw new Error('Some are missing. Run: migrate');
        isMigrated = true;
        return 'ok';
      });
      await check('clock', async () => {
        const skew = await clockSkewMs(dataSource);
        if (Math.abs(skew) > 2_000)
          throw new Error(`This machine's clock is ${Math.round(skew)} ms off the database's.`);
        return 'ok';
      });
      await check('durability', async () => {
        const faults = (await durabilityFaults((sql) => dataSource.query(sql))).join(' ');
        if (faults && config.isProduction) throw new Error(faults);
        return faults || 'ok';
      });
      await check('master_keys', async () => {
        const keyring = await Keyring.load(config);
        if (!isMigrated) return 'readable; whether they are the right ones shows after migrating';
        await verifyWithoutKeeping(dataSource, keyring);
        return 'ok';
      });
    });
    return 'ok';
  });
  if (!isWell) throw new NotWell(found);
  return found;
}

/** How far this machine's clock is before the database's, the way there and back taken out. */
async function clockSkewMs(dataSource: DataSource): Promise<number> {
  const sent = performance.now();
  const [row] = (await dataSource.query('select extract(epoch from clock_timestamp()) * 1000 as now')) as [
    { now: string },
  ];
  const now = new SystemClock().now().getTime();
  return now - (performance.now() - sent) / 2 - Number(row.now);
}

/** The check the service makes at start; what it would remember of new keys is rolled back. */
async function verifyWithoutKeeping(dataSource: DataSource, keyring: Keyring): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await verifyKeyring((sql, parameters) => runner.query(sql, parameters as unknown[]), keyring);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

async function withDataSource(
  config: Config,
  url: string,
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const dataSource = new DataSource({ ...dataSourceOptions(config, url), poolSize: 2 });
  await dataSource.initialize();
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function appId(text: Values[string]): AppId {
  if (!isId('app', text)) throw new WrongUsage('--app takes the id of an app (app_…).');
  return text;
}

function time(text: string): Date {
  const date = new Date(/^\d+$/.test(text) ? Number(text) * 1000 : text);
  if (Number.isNaN(date.getTime())) throw new WrongUsage('--expires-at takes epoch seconds or an ISO 8601 time.');
  return date;
}

function show(result: Result, isJson: boolean, { out }: Terminal): void {
  if (isJson) return out(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map(({ length }) => length));
  for (const [name, value] of Object.entries(result)) out(`${name.padEnd(width)}  ${value}\n`);
}

function tell(error: unknown, isJson: boolean, { out, err }: Terminal): void {
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const type = error instanceof DomainError ? error.code : ((error as Error).name ?? 'Error');
    return out(`${JSON.stringify({ error: { type, message } })}\n`);
  }
  err(error instanceof WrongUsage ? `${message} Try --help.\n` : `${message}\n`);
}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: npm run cli -- <command> [--json] [--help]\n\n${lines.join('\n')}\n`;
}

function usage(name: string, { summary, options = {}, required = [] }: Command): string {
  const lines = Object.entries(options).map(([option, { default: standard }]) => {
    const note = required.includes(option)
      ? 'required'
      : standard === undefined
        ? 'optional'
        : `default: ${String(standard)}`;
    return `  --${option} <value>  (${note})`;
  });
  return `${summary}\n\nUsage: npm run cli -- ${name}${lines.length > 0 ? ' [options]' : ''} [--json]\n${lines.map((line) => `${line}\n`).join('')}`;
}
