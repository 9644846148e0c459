import { verifyMessage } from 'ethers';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { generateSync } from 'otplib';
import { Webhook } from 'standardwebhooks';
import ts from 'typescript';
import * as library from '../../openapi/client/src/index.js';
import { unknownId } from '../../src/kernel/ids.js';
import { OPERATIONS } from '../../openapi/client/src/operations.js';
import { Anvil } from '../support/anvil.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';
import { codeIn, Inbox, tokenIn } from '../support/inbox.js';
import { ETH } from '../support/money.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { PolicyApp } from '../modules/policy/policies.js';
import { FaultyNetwork } from './faulty-network.js';

// Runs the blocks of the guides as a reader would, with a mailbox, a browser, an authenticator and a local chain.

const PACKAGE = 'identity-and-wallets-client';
const GUIDE = 'openapi/first-steps.md';
const CLIENT_README = 'openapi/client/README.md';
const AGENT_GUIDE = 'openapi/guide/agent-budget.md';
const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let network: FaultyNetwork;
let inbox: Inbox;
let provider: OpenIdProvider;
let anvil: Anvil;
let service: TestApp;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  inbox = await Inbox.start();
  provider = await startIdentityProvider();
  anvil = await Anvil.start();
  service = await startApp({
    env: {
      ...inbox.env,
      BASE_URL: network.url,
      ETHEREUM_RPC_URL: anvil.url,
      ETHEREUM_CHAIN_ID: String(anvil.chainId),
      ETHEREUM_FINALITY_DEPTH: '0',
    },
  });
  network.target = service.url;
});
afterAll(async () => {
  await service?.stop();
  await anvil?.stop();
  await provider?.stop();
  await inbox?.stop();
  await network?.stop();
});

function blocksOf(file: string, language: 'sh' | 'ts' | 'js' | 'json'): string[] {
  const fences = readFileSync(file, 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, tag]) => tag === language).map(([, , block]) => block!);
}

/** An app with everything the guide takes for granted. */
async function preparedApp(): Promise<GivenApp> {
  const app = await service.given.app({
    default_wallet_type: 'none',
    webauthn: { rp_id: 'example.com', origins: ['https://login.example.com'] },
  });
  await service.given.redirectUrl(app, 'login', 'https://shop.example/login');
  await service.given.redirectUrl(app, 'registration', 'https://shop.example/login');
  const client = { client_id: app.id, client_secret: 'demo-client-secret' };
  const connection = await service.given.connection(app, {
    provider: 'company',
    issuer: provider.issuer,
    email_domains: ['example.com'],
    ...client,
  });
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
  return app;
}

/** The first events of the app, which get their places in the feed a moment after the calls that caused them. */
async function publishedBy({ secretKey }: GivenApp): Promise<{ id: string }[]> {
  return eventually(async () => {
    const { body } = await service.call('GET', '/v1/events', { key: secretKey });
    expect(body.events.length).toBeGreaterThan(0);
    return body.events;
  });
}

/** The variables that a reader sets, because only people or browsers have their values. */
const FROM_THE_USER = ['CODE', 'TOKEN', 'TOTP', 'CREDENTIAL'];

/** The reader: receives mails, visits pages, holds a passkey, and funds new wallets. */
class Reader {
  /** What the user supplies next, and the fields of earlier responses, by the names of the guide in lower case. */
  readonly knows: Record<string, string> = {};
  readonly answers: { path: string; status: number; body: Record<string, unknown> }[] = [];
  private readonly passkey = new VirtualAuthenticator('https://login.example.com');

  constructor(readonly app: GivenApp) {}

  /** What the reader's shell has: the names are those that a development start prints. */
  get variables(): Record<string, string> {
    const learnt = Object.fromEntries(Object.entries(this.knows).map(([name, value]) => [name.toUpperCase(), value]));
    const { id: APP, secretKey: SECRET, publicToken: PUBLIC } = this.app;
    return { ...learnt, S: network.url, APP, SECRET, PUBLIC, MANAGEMENT: service.managementKey };
  }

  readonly fetch = async (request: Request, init?: RequestInit): Promise<Response> => {
    const path = new URL(request.url).pathname;
    if (path === '/v1/events') await publishedBy(this.app);
    const mailed = path.endsWith('/login_or_create') ? inbox.of('ann@example.com').length : null;
    const response = await fetch(request, init);
    const body = (await response.clone().json()) as Record<string, unknown>;
    this.answers.push({ path, status: response.status, body });
    this.learn(body);
    if (mailed !== null) this.read((await inbox.untilThereAre(mailed + 1, 'ann@example.com'))[mailed]!);
    await this.act(body);
    return response;
  };

  private learn(body: object): void {
    for (const [name, value] of Object.entries(body) as [string, unknown][]) {
      if (typeof value === 'string') {
        const kind = name === 'id' ? value.replace(/_.*$/, '_id') : name;
        this.knows[kind] = value;
      }
    }
  }

  private read(mail: string): void {
    if (mail.includes('token=')) this.knows['token'] = tokenIn(mail);
    else this.knows['code'] = codeIn(mail);
  }

  private async act(body: Record<string, unknown>): Promise<void> {
    const { secret, redirect_url: url, public_address: address } = body as Record<string, string>;
    const created = body['public_key_credential_creation_options'];
    const requested = body['public_key_credential_request_options'];
    // A webhook endpoint has a secret too.
    if (secret && !secret.startsWith('whsec_')) this.knows['totp'] = generateSync({ secret });
    if (created) this.knows['credential'] = JSON.stringify(this.passkey.create(created as never));
    if (requested) this.knows['credential'] = JSON.stringify(this.passkey.get(requested as never));
    if (address) await anvil.fund(address, 5n * ETH);
    if (url) {
      const callback = await provider.signIn(url, { sub: this.app.id, email: 'ann@example.com', email_verified: true });
      const landed = await fetch(callback.url, { redirect: 'manual' });
      this.knows['token'] = new URL(landed.headers.get('location')!).searchParams.get('token')!;
    }
  }
}

/**
 * The real shell reads the block; its `curl` writes the arguments, so that no curl has to be installed. A field that the block keeps is the
 * one of its name, which the reader learns from the response.
 */
function argumentsOf(block: string, env: Record<string, string>): string[] {
  const [functions] = blocksOf(GUIDE, 'sh');
  const curl = `exec 3>&1; curl() { printf '%s\\0' "$@" >&3; }`;
  const script = `set -eu\n${functions}\n${curl}\nfield() { :; }; tee() { :; }\n${block}`;
  return execFileSync('/bin/bash', ['-c', script], { encoding: 'utf8', env: { ...process.env, ...env } })
    .split('\0')
    .slice(0, -1);
}

/** The request that curl makes of these arguments. An option that this does not know fails the test. */
function requestOf(args: readonly string[]): Request {
  const headers = new Headers();
  const init: RequestInit = { headers, redirect: 'manual' };
  let url = '';
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    if (word === '-sS') continue;
    if (!word.startsWith('-')) url = word;
    else if (word === '-X') init.method = args[++i]!;
    else if (word === '-H') headers.append(...(args[++i]!.split(': ') as [string, string]));
    else if (word === '-d') Object.assign(init, { body: args[++i]!, method: init.method ?? 'POST' });
    else throw new Error(`The test does not know curl ${word}.`);
  }
  return new Request(url, init);
}

/** Runs the blocks in one shell with the two functions of the README, and returns the text that they print. */
async function inShell(settings: string, blocks: readonly string[]): Promise<string> {
  const [functions] = blocksOf('README.md', 'sh').filter((block) => block.startsWith('api()'));
  // The test of the local chain runs the command itself. Here it funds by the same call.
  const fund = `npm() { curl -sS -o /dev/null -H 'Content-Type: application/json' ${anvil.url} -d '{"jsonrpc":"2.0","id":1,"method":"anvil_setBalance","params":["'$6'","0x4563918244f40000"]}'; }`;
  const script = ['set -eu', settings, functions!, fund, ...blocks].join('\n');
  return (await promisify(execFile)('bash', ['-c', script])).stdout;
}

/** Compiles blocks for a function body, whose `require` and `exports` the test supplies. */
function compiled(blocks: readonly string[]): string {
  return ts.transpileModule(blocks.join('\n'), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  }).outputText;
}

async function run(blocks: readonly string[], reader: Reader): Promise<Record<string, unknown>> {
  const AsyncFunction = (async () => undefined).constructor as new (
    ...source: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const hooked = {
    ...library,
    createClient: (options: library.ClientOptions) => library.createClient({ ...options, fetch: reader.fetch }),
  };
  const exported = {};
  await new AsyncFunction('require', 'exports', 'process', 'console', 'input', compiled(blocks))(
    (name: string) => (name === PACKAGE ? hooked : undefined),
    exported,
    { env: { ...reader.variables, WEBHOOK_SECRET } },
    { log: () => undefined },
    (name: string) =>
      Promise.resolve(name === 'credential' ? (JSON.parse(reader.knows[name]!) as unknown) : reader.knows[name]),
  );
  return exported;
}

/** The functions that the TypeScript blocks about an agent export. */
interface AgentProgram {
  evaluate(amount: string): Promise<object>;
  pay(amount: string): Promise<library.Transfer>;
  payOrExplain(amount: string): Promise<library.Transfer | string>;
  waiting(): Promise<{ readonly id: string }[]>;
  begin(id: string, userId: string, decision: string): Promise<object>;
  vote(id: string, userId: string, decision: string, credential: string): Promise<object>;
  ended(transfer: library.Transfer): Promise<library.Transfer>;
  freeze(): Promise<object>;
  thaw(): Promise<object>;
  revoke(): Promise<object>;
}

interface VotingRoutes {
  begin(id: string, decision: string): Promise<object>;
  vote(id: string, decision: string, credential: string): Promise<object>;
}

/** The function of the browser block, in a browser that holds the passkey of the reader. */
function votingPage(reader: Reader, routes: VotingRoutes): (id: string, decision: string) => Promise<Response> {
  const toBackend = async (path: string, { body }: { body?: string }): Promise<Response> => {
    const [, , id, decision] = path.split('/') as [string, string, string, string];
    return Response.json(await (body ? routes.vote(id, decision, body) : routes.begin(id, decision)));
  };
  const navigator = { credentials: { get: () => JSON.parse(reader.knows['credential']!) as unknown } };
  const [block] = blocksOf(AGENT_GUIDE, 'js');
  const Script = (() => undefined).constructor as new (...source: string[]) => (...values: unknown[]) => never;
  return new Script('fetch', 'navigator', 'PublicKeyCredential', `${block}; return vote;`)(toBackend, navigator, {
    parseRequestOptionsFromJSON: (options: object) => options,
  });
}

/** Every task was done to its end. */
async function expectAllDone({ app, answers }: Reader): Promise<void> {
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const last = (path: RegExp) => answers.findLast((answer) => path.test(answer.path))!.body;
  const address = answers.find(({ path }) => path === '/v1/wallets/create')!.body['public_address'];
  expect(verifyMessage('I agree.', last(/sign_message$/)['signature'] as string)).toBe(address);
  await eventually(async () => {
    const path = `/v1/transfers/${String(last(/confirm$/)['id'])}`;
    expect((await service.call('GET', path, { key: app.secretKey })).body.status).toBe('completed');
  });
  expect((last(/events$/)['events'] as unknown[]).length).toBeGreaterThan(0);
  // The last events of the transfer may get their places in the feed after the endpoint was created, and are delivered too then.
  const delivered = (last(/deliveries$/)['deliveries'] as { event_type: string }[]).map((each) => each.event_type);
  const late = ['transfer.confirmed', 'transfer.completed'];
  expect(delivered.filter((type) => !late.includes(type))).toEqual(['webhook.test']);
}

describe('the first steps', () => {
  it('work as the curl blocks show them', async () => {
    const reader = new Reader(await preparedApp());
    for (const block of blocksOf(GUIDE, 'sh').slice(1)) {
      const response = await reader.fetch(requestOf(argumentsOf(block, reader.variables)));
      expect({ block, status: response.status, text: await response.text() }).toMatchObject({ block, status: 200 });
    }
    await expectAllDone(reader);
  });

  it('set every variable that they use, beside the keys and what comes from the user', () => {
    const set = new Set(['S', 'APP', 'SECRET', 'PUBLIC', 'MANAGEMENT', ...FROM_THE_USER]);
    for (const block of blocksOf(GUIDE, 'sh').slice(1)) {
      for (const [, name] of block.matchAll(/\$([A-Z_]+)/g)) expect([block, set.has(name!)]).toEqual([block, true]);
      for (const [, name, field] of block.matchAll(/^([A-Z_]+)=[\s\S]*\| field (\w+)\)$/gm)) {
        // The reader of the other test gives an `id` the name of its kind.
        if (field !== 'id') expect(name).toBe(field!.toUpperCase());
        set.add(name!);
      }
    }
  });

  it('work as the TypeScript blocks show them', async () => {
    const reader = new Reader(await preparedApp());
    await run(blocksOf(GUIDE, 'ts'), reader);
    await expectAllDone(reader);
  });

  it('are shown in both languages for the same calls', () => {
    const templates = (text: string) =>
      new Set(
        [...text.matchAll(/\/v1\/[\w/{}$]+/g)].map(([path]) =>
          path.replace(/\{\w+\}|\$\w+|(?<=oauth\/)company/g, '*').replace(/^\/v1\/auth\/jwks\/\*$/, ''),
        ),
      );
    const shown = (language: 'sh' | 'ts') => blocksOf(GUIDE, language).join('\n');
    // A call by resource counts as the path that it is made for.
    const named = [...shown('ts').matchAll(/\bclient\.([\w.]+)\(/g)].flatMap(([, name]) =>
      Object.hasOwn(OPERATIONS, name!) ? [OPERATIONS[name as keyof typeof OPERATIONS][1]] : [],
    );
    const calls = (text: string) => [...templates(text)].filter(Boolean).sort();
    expect(calls(shown('sh'))).toEqual(calls([shown('ts'), ...named].join('\n')));
    expect(calls(shown('sh')).length).toBeGreaterThanOrEqual(21);
  });
});

describe('the guide', () => {
  it('pays from a wallet as the shell blocks of its first transfer show it', async () => {
    const app = await service.given.app();
    const settings = `S=${service.url}; SECRET=${app.secretKey}`;
    const stdout = await inShell(settings, blocksOf('openapi/guide/first-transfer.md', 'sh'));
    const answers = stdout.trim().split('\n').slice(-3);
    const [first, second, batch] = answers.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first!['blockchain_tx_hash']).toMatch(/^0x[0-9a-f]{64}$/);
    expect(second!['blockchain_tx_hash']).toBe(first!['blockchain_tx_hash']);
    expect(batch!['transfers']).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
  });

  describe('of an agent with a budget', () => {
    it('works as its shell blocks show it', async () => {
      const passkey = new VirtualAuthenticator('https://login.example.com');
      const browser = createServer((request, response) => {
        const answered = json(request).then((begun) => {
          const options = begun as Record<string, never>;
          const created = options['public_key_credential_creation_options'];
          return created ? passkey.create(created) : passkey.get(options['public_key_credential_request_options']!);
        });
        void answered.then((credential) => response.end(JSON.stringify(credential)));
      }).listen(0, '127.0.0.1');
      await once(browser, 'listening');
      const { port } = browser.address() as AddressInfo;
      const blocks = blocksOf(AGENT_GUIDE, 'sh').map((block) =>
        block.includes('$CREDENTIAL')
          ? `CREDENTIAL=$(curl -sS -d "$OPTIONS" http://127.0.0.1:${port})\n${block}`
          : block,
      );
      const settings = `S=${service.url}; MANAGEMENT=${service.managementKey}`;
      const stdout = await inShell(settings, blocks).finally(() => browser.close());
      const printed = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const paid = { status: 'completed', approval_id: null };
      const [shown] = blocksOf(AGENT_GUIDE, 'json');
      expect(printed).toEqual(
        [
          { webauthn_credential_id: expect.any(String) },
          { name: 'agent', state: 'active' },
          { outcome: 'allow', rule_id: 'daily-budget', reason: '' },
          paid,
          paid,
          { ...(JSON.parse(shown!) as object), policy_id: expect.stringMatching(/^pol_/) },
          { status: 'awaiting_approval', approval_id: expect.stringMatching(/^appr_/) },
          { approvals: [expect.objectContaining({ state: 'waiting', rule_id: 'large' })] },
          { state: 'approved', votes: [expect.objectContaining({ decision: 'approve' })] },
          { status: expect.stringMatching(/^(pending|completed)$/), failure: null },
          { frozen_at: expect.any(Number) },
          { status: 403, error_type: 'app_frozen' },
          { frozen_at: 0 },
          { message: 'The key was revoked.' },
          { status: 401, error_type: 'unauthorized_credentials' },
        ].map((each) => expect.objectContaining(each) as object),
      );
    });

    it('works as its TypeScript and browser blocks show it, and refuses the agent what it says', async () => {
      const reader = new Reader(await preparedApp());
      const program = (await run(blocksOf(AGENT_GUIDE, 'ts'), reader)) as unknown as AgentProgram;
      const [approver] = [reader.answers.findLast(({ path }) => path === '/v1/auth/users/create')!.body['user_id']];
      expect(await program.evaluate('0.4')).toMatchObject({ outcome: 'allow', rule_id: 'daily-budget' });
      expect(await program.payOrExplain('0.4')).toMatchObject({ status: 'completed' });
      expect(await program.payOrExplain('0.4')).toMatchObject({ status: 'completed' });
      expect(await program.payOrExplain('0.4')).toBe('The budget daily-budget is used up for now.');

      const asked = await program.pay('2');
      const [open] = await program.waiting();
      expect(open).toMatchObject({ id: asked.approval_id, payload: { amount: '2' } });
      const vote = votingPage(reader, {
        begin: (id, decision) => program.begin(id, approver as string, decision),
        vote: (id, decision, credential) => program.vote(id, approver as string, decision, credential),
      });
      await vote(open!.id, 'approve');
      expect(await program.ended(asked)).toMatchObject({ status: 'completed' });

      const [restricted] = reader.answers.filter(({ path }) => path.endsWith('/keys'));
      const refused = async (path: string, body: object) => {
        const answer = await service.call('POST', path, { key: restricted!.body['key'] as string, body });
        return [path, answer.status, answer.body.error_type];
      };
      const wallet = `/v1/wallets/${asked.source}`;
      const policies = `/management/v1/apps/${reader.app.id}/policies`;
      const payment = { source: unknownId('wallet'), dest: asked.dest, source_amount: '0.1' };
      const ether = { source_currency: 'ethereum', dest_currency: 'ethereum' };
      expect([
        await refused(`${wallet}/sign_message`, { message: 'Hello' }),
        await refused('/v1/transfers/create', { ...payment, ...ether }),
        await refused(`${wallet}/export`, { encryption_public_key: '' }),
        await refused('/v1/wallets/import/begin', {}),
        await refused(policies, {}),
      ]).toEqual([
        [`${wallet}/sign_message`, 403, 'missing_scope'],
        ['/v1/transfers/create', 404, 'wallet_not_found'],
        [`${wallet}/export`, 403, 'wrong_key_kind'],
        ['/v1/wallets/import/begin', 403, 'wrong_key_kind'],
        [policies, 403, 'wrong_key_kind'],
      ]);

      await program.freeze();
      await expect(program.pay('0.1')).rejects.toMatchObject({ errorType: 'app_frozen' });
      await program.thaw();
      await program.revoke();
      await eventually(() =>
        expect(program.pay('0.1')).rejects.toMatchObject({ errorType: 'unauthorized_credentials' }),
      );
    });
  });

  it('shows policies that the management API accepts and returns', async () => {
    const app = await service.given.app();
    const policies = blocksOf('openapi/guide/policies.md', 'json').map((block) => JSON.parse(block) as object);
    expect(policies).not.toEqual([]);
    for (const body of policies) {
      const call = { key: service.managementKey, body };
      const answer = await service.call('PATCH', `/management/v1/apps/${app.id}`, call);
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(body)]);
    }
  });
});

describe('the guide of the client', () => {
  it('works as its blocks show it, with a webhook that is verified and one that is refused', async () => {
    const reader = new Reader(await preparedApp());
    // The user is created and read. The second and third creation of the same user are the errors that the guide is about.
    const exported = await run(blocksOf(CLIENT_README, 'ts'), reader);
    expect(reader.answers.map(({ status }) => status)).toEqual([200, 200, 409, 409, 200]);
    const receive = exported['receive'] as (request: Request) => Promise<Response>;
    const [event] = await publishedBy(reader.app);
    const body = JSON.stringify(event);
    const at = new Date();
    const headers = {
      'webhook-id': event!.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(WEBHOOK_SECRET).sign(event!.id, at, body),
    };
    const delivery = (text: string) =>
      new Request('https://shop.example/hook', { method: 'POST', headers, body: text });
    expect((await receive(delivery(body))).status).toBe(200);
    await expect(receive(delivery(`${body} `))).rejects.toMatchObject({ fault: 'signature' });
  });

  it('signs as policies allow it: with a rule that denies, one that asks approvers, and their approval', async () => {
    const reader = new Reader(await preparedApp());
    const { sign } = (await run(blocksOf(CLIENT_README, 'ts'), reader)) as {
      sign: (walletId: string, message: string, approval?: string) => Promise<string | library.Approval>;
    };
    const policies = PolicyApp.at(service, reader.app);
    const { approval, holder } = await policies.asked();
    const { wallet_id: walletId } = (await policies.manage('GET', `/approvals/${approval}`)).body;
    const asked = (await sign(walletId, 'Hello')) as library.Approval;
    expect(asked).toMatchObject({ id: approval, payload: { operation: 'sign_message', message: 'Hello' } });
    const { body } = await policies.manage('POST', `/approvals/${approval}/begin`, {
      user_id: holder.userId,
      decision: 'approve',
    });
    const public_key_credential = holder.authenticator.get(body.public_key_credential_request_options);
    await policies.manage('POST', `/approvals/${approval}/approve`, { user_id: holder.userId, public_key_credential });
    expect(await sign(walletId, 'Hello', approval)).toMatch(/^0x/);
    const version = await policies.version({ name: 'None', rules: [{ id: 'none', effect: 'deny' }] });
    await policies.activate(version);
    const denied = await sign(walletId, 'Hello').catch((thrown: unknown) => thrown);
    expect(library.ApiError.is(denied, 'policy_denied') && denied.problem).toMatchObject({
      policy_id: version,
      rule_id: 'none',
      reason: 'denied_by_rule',
    });
  });
});

it('the TypeScript blocks of the guides compile strictly', () => {
  const prelude = `declare const process: { env: Record<string, string | undefined> };
declare function input(name: 'code' | 'token' | 'totp'): Promise<string>;
declare function input(name: 'credential'): Promise<never>;`;
  const sources = new Map(
    [GUIDE, CLIENT_README, AGENT_GUIDE].map((file, index) => {
      const lines = blocksOf(file, 'ts').join('\n').split('\n');
      const isImport = (line: string) => line.startsWith('import ');
      const imports = new Set(lines.filter(isImport).map((line) => line.replace(PACKAGE, './src/index.js')));
      const body = lines.filter((line) => !isImport(line)).join('\n');
      return [`openapi/client/guide-${index}.ts`, [...imports, prelude, body, 'export {};'].join('\n')];
    }),
  );
  const { config } = ts.readConfigFile('openapi/client/tsconfig.json', (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, 'openapi/client');
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (path, version) => {
    const source = sources.get(path);
    return source ? ts.createSourceFile(path, source, version) : getSourceFile.call(host, path, version);
  };
  host.fileExists = (path) => sources.has(path) || fileExists.call(host, path);
  const program = ts.createProgram([...sources.keys()], { ...options, rootDir: 'openapi/client', noEmit: true }, host);
  const faults = [...sources.keys()].flatMap((path) => program.getSemanticDiagnostics(program.getSourceFile(path)));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
