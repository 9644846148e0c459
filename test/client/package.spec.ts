import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';

const MAX_GZIPPED_BYTES = 15 * 1024;
const ADAPTERS = ['express', 'fastify', 'hono', 'next'];

/** What browsers, Deno, Bun, workers and Node ≥ 20 have in common. */
const WEB = {
  AbortController,
  AbortSignal,
  atob,
  btoa,
  clearTimeout,
  crypto: globalThis.crypto,
  fetch,
  FormData,
  Headers,
  performance,
  Request,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
};

let directory: string;
let bundle: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'client-'));
  bundle = join(directory, 'client.js');
  // Outside of Jest: esbuild refuses a realm whose Uint8Array is not that of TextEncoder.
  const esbuild = join(require.resolve('esbuild/package.json'), '../bin/esbuild');
  const options = ['--bundle', '--minify', '--platform=neutral', '--format=iife', '--global-name=client'];
  const input = ['index', ...ADAPTERS].map((name) => `export * as ${name} from './openapi/client/src/${name}.ts';`);
  execFileSync(esbuild, [...options, `--outfile=${bundle}`, '--log-level=error'], {
    input: [...input, "export * from './openapi/client/src/index.ts';"].join('\n'),
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the bundled client with all its adapters', () => {
  it('has at most 15 KiB gzipped', () => {
    expect(gzipSync(readFileSync(bundle), { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
  });

  it('works where only web interfaces exist', async () => {
    const requests: Request[] = [];
    const context = vm.createContext({
      ...WEB,
      fetch: (request: Request) => {
        requests.push(request);
        return Promise.resolve(Response.json({ user_id: 'user_1' }));
      },
    });
    vm.runInContext(readFileSync(bundle, 'utf8'), context);
    const result: unknown = await vm.runInContext(
      `client.ok(client
        .createClient({ baseUrl: 'https://auth.example.com', secretKey: 'sk_test_1' })
        .POST('/v1/auth/users/create', { body: { email: 'ann@example.com' } }))`,
      context,
    );
    expect(result).toMatchObject({ user_id: 'user_1' });
    expect(requests[0]!.url).toBe('https://auth.example.com/v1/auth/users/create');
    expect(requests[0]!.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the part for browsers', () => {
  it('has at most 3 KB, uncompressed', () => {
    const file = join(directory, 'browser.js');
    const esbuild = join(require.resolve('esbuild/package.json'), '../bin/esbuild');
    const source = 'openapi/client/src/browser.ts';
    execFileSync(esbuild, [source, '--bundle', '--minify', '--format=esm', `--outfile=${file}`, '--log-level=error']);
    expect(readFileSync(file).length).toBeLessThanOrEqual(3_000);
  });
});

describe('the packed client', () => {
  it('holds the compiled files, their types, the guide and nothing else, and loads in plain Node', () => {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const packed = execFileSync(npm, ['pack', '--json', '--silent', '--pack-destination', directory], {
      cwd: 'openapi/client',
      encoding: 'utf8',
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'dist/index.d.ts', 'dist/index.js', 'dist/openapi.d.ts', 'package.json']),
    );
    expect(paths.filter((path) => !/^(dist\/[\w-]+\.(js|d\.ts)|README\.md|package\.json)$/.test(path))).toEqual([]);
    const names = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `console.log(Object.keys(await import('./openapi/client/dist/index.js')).join())`,
      ],
      { encoding: 'utf8' },
    );
    expect(names.trim().split(',')).toEqual(
      expect.arrayContaining([
        'ApiError',
        'SessionGuard',
        'SessionVerifier',
        'WebhookVerifier',
        'createClient',
        'ok',
        'sessionOf',
      ]),
    );
    const { exports, version, publishConfig } = JSON.parse(readFileSync('openapi/client/package.json', 'utf8')) as {
      exports: Record<string, { types: string; default: string }>;
      version: string;
      publishConfig: object;
    };
    // npm refuses a release candidate without a tag of its own, and provenance or a name without a scope unless the access is public.
    const tag = version.includes('-') ? 'next' : 'latest';
    expect(publishConfig).toEqual({ access: 'public', provenance: true, tag });
    expect(readFileSync('openapi/python/pyproject.toml', 'utf8')).toContain(
      `version = "${version.replace('-rc.', 'rc')}"`,
    );
    expect(version).toBe((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version);
    expect(Object.keys(exports)).toEqual(['.', './browser', ...ADAPTERS.map((name) => `./${name}`)]);
    const exported = Object.values(exports).flatMap(({ types, default: file }) => [types, file]);
    expect(exported.filter((file) => !paths.includes(file.replace('./', '')))).toEqual([]);
  });
});
