import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parse } from 'yaml';
import { Config } from '../../src/services/config/config.js';
import { settingsRead } from '../support/settings-read.js';

const project = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');

interface Instruction {
  readonly name: string;
  /** Options such as `--from=build`, by name. */
  readonly options: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

interface Stage {
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/**
 * The part of the Dockerfile language that the file uses: comments, continued lines, options, words and JSON arrays.
 */
function stagesOf(dockerfile: string): Stage[] {
  const stages: (Omit<Stage, 'instructions'> & { instructions: Instruction[] })[] = [];
  for (const line of dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')) {
    if (line.trim() === '') continue;
    const [, name, optionText, rest] = /^([A-Z]+)((?:\s+--[a-z-]+=\S+)*)\s+(.*)$/.exec(line.trim()) ?? [];
    if (!name || rest === undefined) throw new Error(`Not an instruction: ${line}`);
    const options = Object.fromEntries(
      [...optionText!.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    const args = rest.startsWith('[') ? (JSON.parse(rest) as string[]) : rest.split(/\s+/);
    if (name === 'FROM') stages.push({ image: args[0]!, name: args[2]!, instructions: [] });
    else stages.at(-1)!.instructions.push({ name, options, args });
  }
  return stages;
}

interface Compose {
  services: Record<
    string,
    {
      image?: string;
      build?: { context: string; dockerfile: string };
      entrypoint?: string[];
      command?: string[];
      read_only?: boolean;
      privileged?: boolean;
      tmpfs?: string[];
      cap_drop?: string[];
      security_opt?: string[];
      ports?: string[];
      volumes?: string[];
      environment?: Record<string, string>;
      healthcheck?: object;
      depends_on?: Record<string, { condition: string }>;
    }
  >;
  volumes: Record<string, unknown>;
}

const stages = stagesOf(read('docker/Dockerfile'));
const service = stages.at(-1)!;
const compose = parse(read('docker/compose.yaml'), { merge: true }) as Compose;

const named = (stage: Stage, name: string): Instruction[] => stage.instructions.filter((step) => step.name === name);
const imageEnvironment = Object.fromEntries(
  named(service, 'ENV').flatMap(({ args }) => args.map((assignment) => assignment.split('=') as [string, string])),
);

/** Example contents of docker/.env. */
const secrets: Record<string, string> = {
  POSTGRES_PASSWORD: 'correcthorsebatterystaple',
  MANAGEMENT_KEY: `mk_${'a1B2c3D4'.repeat(4)}`,
  MASTER_KEYS: `main:${randomBytes(32).toString('base64')}`,
};
const withSecrets = (value: string): string =>
  value.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_reference, name: string) => secrets[name] ?? `<${name} is not given>`);

describe('the image', () => {
  it('is made of stages on one exact release of Node 24, by its digest', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'dependencies', 'service']);
    for (const { image } of stages) expect(image).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
    expect(new Set(stages.map(({ image }) => image)).size).toBe(1);
    const [, digest] = stages[0]!.image.split('@');
    expect(named(stages[2]!, 'LABEL')[0]!.args).toContain(`org.opencontainers.image.base.digest=${digest}`);
  });

  it('copies only what is in the repository and sent to the builder, or what an earlier stage made', () => {
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copies = stages.flatMap((stage, index) =>
      named(stage, 'COPY').map(({ options, args }) => ({
        from: options.from,
        mayComeFrom: stages.slice(0, index).map(({ name }) => name),
        paths: args.slice(0, -1).map((path) => path.replace(/\/$/, '')),
      })),
    );
    const copied = copies.filter(({ from }) => from === undefined).flatMap(({ paths }) => paths);
    const misled = copies.filter(({ from, mayComeFrom }) => from !== undefined && !mayComeFrom.includes(from));
    expect(misled).toEqual([]);
    expect(copied.filter((path) => !existsSync(join(project, path)))).toEqual([]);
    expect(new Set(copied)).toEqual(new Set(sent));
  });

  it('is built from all that the pages are built from', () => {
    const [, list] = /const GUIDE_INPUTS = \[([^\]]*)\]/.exec(read('.ci/setup.mjs'))!;
    const inputs = [...list!.matchAll(/'([^']+)'/g)].map(([, path]) => path!);
    expect(inputs.length).toBeGreaterThan(8);
    const copied = named(stages[0]!, 'COPY').flatMap(({ args }) => args.slice(0, -1));
    const isCopied = (path: string) =>
      copied.some((each) => each === path || `${path}/`.startsWith(each.endsWith('/') ? each : `${each}/`));
    expect(inputs.filter((path) => !isCopied(path))).toEqual([]);
  });

  it('holds nothing of src/dev', () => {
    const { options, args } = named(service, 'COPY').find(({ args: [path] }) => path === '/app/dist/')!;
    expect([options.from, args.at(-1)]).toEqual(['build', 'dist/']);
    expect(named(stages[0]!, 'RUN').at(-1)!.args.join(' ')).toBe('npm run build && rm -rf dist/src/dev');
  });

  it('runs the program that the sources build, as a user that has a number and is not root', () => {
    expect(named(service, 'USER').map(({ args }) => args)).toEqual([['1000:1000']]);
    const [command] = named(service, 'CMD');
    expect(command?.args[0]).toBe('node');
    const program = command?.args.at(-1)?.replace(/^dist\/(.*)\.js$/, '$1.ts');
    expect(program).toBe('src/main.ts');
    expect(existsSync(join(project, 'src/main.ts'))).toBe(true);
  });

  // There is no Docker engine where the tests run, so the steps of the last stage are taken in a folder.
  it('runs operator commands by `npm run cli --`, as a clone does, without installing or compiling', () => {
    const folder = mkdtempSync(join(tmpdir(), 'image-'));
    try {
      for (const { options, args } of named(service, 'COPY'))
        for (const path of args.slice(0, -1)) {
          const source = join(project, path.replace(/^\/app\//, ''));
          if (!options.from) cpSync(source, join(folder, args.at(-1)!, path.split('/').at(-1)!), { recursive: true });
        }
      for (const { args } of named(service, 'RUN'))
        execFileSync('sh', ['-c', args.join(' ')], { cwd: folder, stdio: 'pipe' });
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: object };
      expect(scripts).toMatchObject({ cli: 'node dist/src/cli.js', start: 'node dist/src/main.js' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names its revision in a label', () => {
    const [label] = named(service, 'LABEL');
    expect(label?.args).toEqual(expect.arrayContaining(['org.opencontainers.image.revision=$REVISION']));
    expect(named(service, 'ARG').map(({ args }) => args)).toEqual([['REVISION=unknown'], ['VERSION=unknown']]);
  });

  it('has a health check that calls a route of the service', () => {
    const [check] = named(service, 'HEALTHCHECK');
    const path = /GET (\/\w+)/.exec(check?.args.join(' ') ?? '')?.[1];
    const { paths } = JSON.parse(read('openapi/openapi.json')) as { paths: Record<string, object> };
    expect(path).toBeDefined();
    expect(paths).toHaveProperty([path!, 'get']);
  });

  it('starts no Node for its health check, which fails unless the answer is 200', async () => {
    const [, words] = /^HEALTHCHECK [^[]*(\[.*\])$/m.exec(read('docker/Dockerfile'))!;
    const [command, ...args] = JSON.parse(words!) as string[];
    const server = createServer((request, response) => {
      response.writeHead(status === 200 && request.url === '/livez' ? 200 : 503).end();
    }).listen(0, '127.0.0.1');
    let status = 200;
    await once(server, 'listening');
    const env = { PATH: process.env['PATH'], PORT: String((server.address() as AddressInfo).port) };
    const check = () => promisify(execFile)(command!, args, { env });
    expect(command).toBe('bash');
    await check();
    status = 503;
    await expect(check()).rejects.toThrow();
    server.close();
    await once(server, 'close');
    await expect(check()).rejects.toThrow();
  });
});

describe('the compose file', () => {
  const { service: ours, postgres } = compose.services;
  const environment: Record<string, string> = { ...imageEnvironment, ...ours?.environment };
  const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, withSecrets(value)]));

  it('builds the image of the service', () => {
    expect(ours?.build).toEqual({ context: '..', dockerfile: 'docker/Dockerfile' });
  });

  it('starts each container again, and bounds its memory, processes and log', () => {
    for (const [name, container] of Object.entries(compose.services))
      expect({ name, container }).toMatchObject({
        name,
        container: {
          restart: 'unless-stopped',
          mem_limit: expect.stringMatching(/^\d+g$/),
          pids_limit: expect.any(Number),
          logging: { driver: 'local', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
        },
      });
  });

  it('pins the other images to a release', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    expect(images).toHaveLength(4);
    for (const image of images) expect(image).toMatch(/:v?\d+\.\d+/);
  });

  it('gives the container of the service no unneeded right', () => {
    expect(ours).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(ours).not.toHaveProperty('privileged');
    expect(environment.DATA_DIR).toMatch(/^\/tmp\//);
  });

  it('sets only variables that the configuration reads, to values it accepts in production', () => {
    expect(Object.keys(environment).filter((name) => !settingsRead.has(name))).toEqual([]);
    expect(Config.read(given)).toMatchObject({ isProduction: true, host: '0.0.0.0', allowPrivateNetworks: true });
  });

  it('sends mails to the mail catcher', () => {
    const { hostname, port } = new URL(Config.read(given).smtpUrl!);
    expect(compose.services[hostname]?.image).toMatch(/^axllent\/mailpit:/);
    // Mailpit listens there for SMTP, without TLS and without a login.
    expect(port).toBe('1025');
  });

  it('pays on the local Ethereum network, by the program that the tests use', () => {
    const { rpc, chainId } = Config.read(given).ethereum;
    const { hostname, port } = new URL(rpc[0]!);
    const chain = compose.services[hostname];
    const { optionalDependencies } = JSON.parse(read('.ci/programs/package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const version = optionalDependencies['@foundry-rs/anvil-linux-amd64'];
    expect(chain).toMatchObject({ image: `ghcr.io/foundry-rs/foundry:v${version}`, entrypoint: ['anvil'] });
    const { values } = parseArgs({
      args: chain?.command,
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        'chain-id': { type: 'string' },
        'block-time': { type: 'string' },
        silent: { type: 'boolean' },
      },
    });
    expect(values).toMatchObject({ host: '0.0.0.0', port, 'chain-id': String(chainId) });
  });

  it('holds no secret: each is a required variable', () => {
    const sensitive = Object.values(compose.services)
      .flatMap(({ environment: variables = {} }) => Object.entries(variables))
      .filter(([name]) => /KEY|PASSWORD|SECRET|DATABASE_URL/.test(name));
    expect(sensitive.map(([name]) => name)).toEqual([
      'DATABASE_URL',
      'MANAGEMENT_KEY',
      'MASTER_KEYS',
      'POSTGRES_PASSWORD',
    ]);
    for (const [, value] of sensitive) expect(value).toMatch(/\$\{\w+:\?[^}]+\}/);
  });

  it('publishes the port of the service to this machine only', () => {
    const { port } = Config.read(given);
    expect(named(service, 'EXPOSE').map(({ args }) => args)).toEqual([[String(port)]]);
    expect(ours?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(new URL(given.BASE_URL!).port).toBe(String(port));
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    for (const mapping of published) expect(mapping).toMatch(/^127\.0\.0\.1:/);
  });

  it('starts the service after its database is ready', () => {
    const url = new URL(given.DATABASE_URL!);
    expect({ host: url.hostname, user: url.username, password: url.password, database: url.pathname }).toEqual({
      host: 'postgres',
      user: postgres?.environment?.POSTGRES_USER,
      password: withSecrets(postgres?.environment?.POSTGRES_PASSWORD ?? ''),
      database: `/${postgres?.environment?.POSTGRES_DB}`,
    });
    expect(ours?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(postgres?.healthcheck).toBeDefined();
    expect(postgres?.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(compose.volumes).toHaveProperty('database');
  });
});

describe('the operations guide', () => {
  it('lists exactly the environment variables that the configuration reads', () => {
    const rows = read('docker/pages/configure.md')
      .split('\n')
      .filter((line) => line.startsWith('- `'));
    const listed = rows.flatMap((row) => [...row.split(/:| \(/)[0]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!));
    expect(listed.toSorted()).toEqual([...settingsRead].toSorted());
  });

  it('is linked from a README of at most 200 lines whose relative links lead to files', () => {
    const readme = read('README.md');
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path]) => path!);
    expect(readme.split('\n').length).toBeLessThanOrEqual(200);
    expect(links).toContain('docker/README.md');
    expect(links.filter((path) => path !== 'src/modules/README.md' && !existsSync(join(project, path)))).toEqual([]);
  });
});
