import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { runCommand } from '../../src/cli/run-command.js';
import { StoredBytes } from '../../src/edge/idempotency/stored-bytes.js';
import { Chains } from '../../src/kernel/chain/chain.js';
import type { AppId } from '../../src/kernel/ids.js';
import { SignHeads } from '../../src/modules/audit/application/sign-heads.js';
import { Database } from '../../src/postgres/database.js';
import { KeyWrapper } from '../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../src/services/crypto/provider-key-wrapper.js';
import { HttpMetrics } from '../../src/services/observability/metrics.js';
import { Chains as AuditChains } from '../modules/audit/chains.js';
import { WebhookEngine } from '../modules/webhooks/webhook-engine.js';
import { type Receiver, startReceiver } from '../modules/webhooks/webhook-receiver.js';
import { storeEndpoint } from '../modules/webhooks/webhook-rows.js';
import { Anvil } from '../support/anvil.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../support/app.js';
import { ChainProxy } from '../support/chain-proxy.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';
import { codeIn } from '../support/inbox.js';
import { ETH, Money, newAddress, type Payer } from '../support/money.js';
import { Observer } from '../support/observer.js';
import { type MailSink, startMailSink } from '../support/smtp-server.js';
import { startVault, type VaultServer } from '../support/vault-server.js';
import { Prometheus } from './prometheus.js';

// Each drill makes a fault in a service that runs, and asks Prometheus, with docker/alerts/rules.yaml, for the alert. An alert that waits
// for the end of its `for` counts. Where a threshold is an age of many minutes, the rows are made older by SQL.

/** A service that has just started has seen one height of each chain, and a busy machine delays the event loop. */
const EXPECTED = ['ChainEndpointStands', 'EventLoopLate'];

let prometheus: Prometheus;
/** Gauges over tables are read every ten seconds; a drill does not wait for that while the database answers. */
let reads: () => Promise<void>;

async function active(): Promise<string[]> {
  await reads();
  return [...new Set((await prometheus.active()).map(({ labels }) => labels['alertname']!))];
}

/** The alerts are not active before the fault, and are after it. `again` repeats what a single fault would not raise. */
function drill(
  alerts: readonly string[],
  fault: string,
  make: () => Promise<unknown>,
  again: () => Promise<unknown> = async () => undefined,
): void {
  it(`${alerts.join(', ')}: ${fault}`, async () => {
    await eventually(async () => expect((await active()).filter((alert) => alerts.includes(alert))).toEqual([]));
    await make();
    await eventually(async () => {
      await again();
      const raised = await active();
      expect(alerts.filter((alert) => !raised.includes(alert))).toEqual([]);
    });
  });
}

const DASHBOARDS = join(import.meta.dirname, '../../docker/grafana');
const QUERIES = readdirSync(DASHBOARDS).flatMap((file) => {
  const { panels } = JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ panel: `${file} ${title}`, expr })));
});
const OF_PROVIDER = 'service.json Key provider';
const OF_STUCK = 'payments.json Stuck, by reason';

/** `again` repeats calls, because a rate needs an increase. */
async function fed(queries: typeof QUERIES, again: () => Promise<unknown> = async () => undefined): Promise<void> {
  expect(queries.length).toBeGreaterThan(0);
  await eventually(async () => {
    await again();
    const empty: string[] = [];
    for (const { panel, expr } of queries) if ((await prometheus.seriesOf(expr)) === 0) empty.push(`${panel}: ${expr}`);
    expect(empty).toEqual([]);
  });
}

const raisesNothingYet = (): void =>
  it('raises no alert before the first fault', () =>
    eventually(async () => expect((await active()).filter((alert) => !EXPECTED.includes(alert))).toEqual([])));

it('has rules that promtool accepts', () => {
  const rules = join(import.meta.dirname, '../../docker/alerts/rules.yaml');
  expect(execFileSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' })).toMatch(/SUCCESS: \d+ rules found/);
});

describe('a service without a worker, with a key provider', () => {
  const MASTER_KEYS = `drill:${createHash('sha256').update('the master key of drills').digest('base64')}`;
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let vault: VaultServer;
  let service: TestApp;
  let acme: GivenApp;
  let full: GivenApp;
  let locking: Client | undefined;

  beforeAll(async () => {
    prometheus = await Prometheus.start();
    database = await createDatabase();
    proxy = await DatabaseProxy.start(database.url);
    vault = await startVault();
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'drill@example.com' };
    service = await startApp({ databaseUrl: proxy.url, env: { ROLE: 'api', MASTER_KEYS, ...mail, ...vault.env } });
    await prometheus.watch(service);
  });
  afterAll(async () => {
    vault.fault = null;
    proxy.become('works');
    await service.stop();
    await prometheus.stop();
    await proxy.stop();
    await vault.stop();
    await database.drop();
  });
  let hasTables = true;
  beforeEach(() => {
    if (hasTables) reads = () => service.nest.get(HttpMetrics).readTables();
  });

  const sql = (text: string, parameters: unknown[] = []) => service.nest.get(Database).write(text, parameters);
  const post = (app: GivenApp, path: string, body: object, headers = {}) =>
    service.call('POST', path, { key: app.secretKey, body, headers });

  raisesNothingYet();

  drill(['EventsLate'], 'no worker gives events their positions', async () => (acme = await service.given.app()));

  drill(['JobsLate', 'MessagesLate'], 'no worker sends a mail for 16 minutes', async () => {
    await post(acme, '/v1/auth/otps/email/login_or_create', { email: `${unique()}@example.com` });
    await sql(
      `update jobs set due_at = due_at - interval '16 minutes', created_at = created_at - interval '16 minutes'`,
    );
  });

  drill(['WebhooksLate'], 'no worker delivers to an endpoint that works', async () => {
    await storeEndpoint(service.nest, acme.id, { url: 'http://127.0.0.1:1/hooks' });
    await new WebhookEngine(service.nest).happen(acme.id, { type: 'app.updated', data: { app_id: acme.id } });
    await sql(`update webhook_queue set due_at = due_at - interval '31 seconds'`);
  });

  drill(['EventsWait'], '10,001 events have no position', () =>
    sql(
      `insert into unsequenced_events (app_id, id, type, data)
       select $1, 'event_' || number, 'app.updated', '{}' from generate_series(1, 10001) number`,
      [acme.id],
    ),
  );

  drill(['AuditSignatureRefused'], 'an entry of the audit log is altered', async () => {
    const chains = new AuditChains(service);
    const app = await chains.appWithChain();
    await sql(`update audit_log set actor = 'key_other' where app_id = $1 and number = 2`, [app]);
    await chains.restarted(SignHeads).execute();
  });

  drill(['AuditUnchained'], 'no worker chains 1,001 entries', () =>
    sql(
      `insert into audit_log (app_id, id, actor, action, target_id, fields, created_at)
       select $1, 'audit_' || number, 'system', 'app.read', $1, '{}', now() from generate_series(1, 1001) number`,
      [acme.id],
    ),
  );

  drill(['AuditUnsigned'], 'no worker signs a head for three hours', () =>
    sql(`update audit_heads set at = at - interval '3 hours'`),
  );

  drill(
    ['StoredResponsesFull', 'TooManyRefusedCalls'],
    'an app fills its room for stored responses',
    async () => {
      full = await service.given.app({ limits: { stored_answers_mb: 1 } });
      await post(full, '/v1/auth/users/create', { email: `${unique()}@example.com` }, { 'idempotency-key': unique() });
      await sql(
        `insert into idempotency_usage as u (app_id, hour, bytes, reserved_bytes) values ($1, date_trunc('hour', now()), $2, 0)
         on conflict (app_id, hour) do update set bytes = excluded.bytes`,
        [full.id, 1024 * 1024],
      );
      await service.nest.get(StoredBytes).update(full.id);
    },
    async () => {
      const email = `${unique()}@example.com`;
      await post(full, '/v1/auth/users/create', { email }, { 'idempotency-key': unique() });
    },
  );

  it('CallsFail: a table is missing', async () => {
    await sql('alter table redirect_urls rename to hidden');
    await eventually(async () => {
      const path = `/management/v1/apps/${acme.id}/redirect_urls`;
      expect((await service.call('GET', path, { key: MANAGEMENT_KEY })).status).toBe(500);
      expect(await active()).toContain('CallsFail');
    });
    await sql('alter table hidden rename to redirect_urls');
  });

  drill(
    ['KeyProviderFails', 'KeyProviderSlow'],
    'the key provider does not answer',
    async () => (vault.fault = 'hang'),
    async () => {
      const wrapper = service.nest.get(KeyWrapper) as ProviderKeyWrapper;
      wrapper.forgetAll();
      await wrapper.ready(acme.id as AppId).catch(() => undefined);
    },
  );

  it('feeds the panel of the key provider', () => fed(QUERIES.filter(({ panel }) => panel === OF_PROVIDER)));

  drill(['SigningStopped'], 'an operator stops all keys', async () => {
    vault.fault = null;
    const env = { NODE_ENV: 'test', DATABASE_URL: database.url, MASTER_KEYS };
    const terminal = { out: () => undefined, err: () => undefined };
    await runCommand(['freeze', '--all', '--reason', 'drill'], { env, terminal });
  });

  drill(
    ['EventLoopLate'],
    'the process computes for half a second at a time',
    async () => undefined,
    async () => {
      for (const end = performance.now() + 500; performance.now() < end;);
    },
  );

  drill(
    ['ConnectionsWaiting', 'ConnectionsShort'],
    'a transaction keeps calls from storing their events',
    async () => {
      hasTables = false;
      reads = async () => undefined;
      locking = new Client({ connectionString: database.url });
      await locking.connect();
      await locking.query('begin; lock table unsequenced_events in exclusive mode');
    },
    async () => {
      const calls = Array.from({ length: 100 }, () =>
        post(acme, '/v1/auth/users/create', { email: `${unique()}@example.com` }),
      );
      await Promise.race([Promise.allSettled(calls), pause(1_000)]);
    },
  );

  drill(
    ['DatabaseDown', 'ServiceNotReady', 'NoReplicaReady', 'MetricsOld'],
    'PostgreSQL is silent for a minute',
    async () => {
      await locking?.end();
      proxy.become('silent');
    },
  );

  it('raises no alert about the database when it answers again', async () => {
    proxy.become('works');
    const gone = ['DatabaseDown', 'ServiceNotReady', 'NoReplicaReady', 'ConnectionsWaiting', 'MetricsOld'];
    await eventually(async () => expect((await active()).filter((alert) => gone.includes(alert))).toEqual([]));
  });
});

describe('a service with payments, mails and webhooks', () => {
  const FINALITY = 1;
  let mail: MailSink;
  let receiver: Receiver;
  let money: Money;
  let observer: Observer;
  let second: Anvil;
  let endpoints: readonly [ChainProxy, ChainProxy];
  let replica: TestApp | undefined;

  beforeAll(async () => {
    prometheus = await Prometheus.start();
    [mail, receiver] = [await startMailSink(), await startReceiver()];
    second = await Anvil.start({ blockTime: 'never', chainId: 4_242 });
    endpoints = [await ChainProxy.start(second.url), await ChainProxy.start(second.url)];
    const rpc = endpoints.map(({ url }) => url);
    money = await Money.start({
      ethereum: { blockTime: 'never' },
      env: {
        ETHEREUM_FINALITY_DEPTH: String(FINALITY),
        NETWORKS: JSON.stringify({ second: { id: 'eip155:4242', kind: 'ethereum', rpc, finality: FINALITY } }),
        DEPOSITS: 'ethereum',
        TRANSFER_CONFIRM_WAIT_SECONDS: '0',
        SMTP_URL: mail.url,
        MAIL_FROM: 'drill@example.com',
      },
    });
    observer = await Observer.of(money.app);
    await money.anvil.mine(FINALITY + 1);
    await second.mine(FINALITY + 1);
    await checkEndpoints();
    await prometheus.watch(money.app);
  });
  afterAll(async () => {
    await replica?.stop();
    await observer.close();
    await money.app.stop().catch((error: Error) => {
      // Rows were altered on purpose.
      if (!error.message.startsWith('Stored events')) throw error;
    });
    await prometheus.stop();
    for (const proxy of [...endpoints, ...Object.values(money.proxies)]) await proxy.stop();
    for (const chain of [second, money.anvil, money.solana]) await chain.stop();
    await receiver.stop();
    await mail.stop();
  });
  beforeEach(() => (reads = () => money.app.nest.get(HttpMetrics).readTables()));

  const confirmed = async (payer: Payer, fields: Record<string, unknown> = {}): Promise<string> => {
    const { id } = await money.created(payer, fields);
    const { status, text } = await money.confirm(payer, id);
    if (status !== 200) throw new Error(text);
    return id;
  };
  const becomes = (id: string, column: 'stage' | 'status', value: string): Promise<void> =>
    eventually(async () => {
      await money.look();
      const [row] = await observer.rows<{ value: string }>(`select ${column} as value from transfers where id = $1`, [
        id,
      ]);
      expect(row!.value).toBe(value);
    });
  const askForCode = async (email = `${unique()}@example.com`): Promise<string> => {
    const app = await money.app.given.app();
    await money.app.ok('POST', '/v1/auth/otps/email/login_or_create', { key: app.secretKey, body: { email } });
    return email;
  };
  const rename = ({ id }: GivenApp) =>
    money.app.ok('PATCH', `/management/v1/apps/${id}`, { key: money.app.managementKey, body: { name: unique() } });
  const checkEndpoints = () =>
    money.app.nest
      .get(Chains, { strict: false })
      .checkEndpoints()
      .catch(() => undefined);

  raisesNothingYet();

  drill(['JobsDead'], 'the mail server refuses a recipient', async () => {
    const email = `${unique()}@example.com`;
    mail.refuse('RCPT', email, '550 5.1.1 no such user');
    await askForCode(email);
  });

  drill(['MessagesFail'], 'the mail server is away', async () => {
    await mail.kill();
    await askForCode();
  });

  drill(
    ['WebhooksFail'],
    'an endpoint answers 500',
    async () => {
      await mail.revive();
      receiver.answerWith((response) => response.writeHead(500).end());
      for (let i = 0; i < 3; i++) {
        const app = await money.app.given.app();
        await storeEndpoint(money.app.nest, app.id, { url: receiver.url });
        await rename(app);
      }
    },
    async () => {
      const app = await money.app.given.app();
      await storeEndpoint(money.app.nest, app.id, { url: receiver.url });
      await rename(app);
    },
  );

  drill(['WebhooksGivenUp', 'SealFailures'], 'the secrets of two endpoints are exchanged by SQL', async () => {
    receiver.answerWith((response) => response.end());
    const app = await money.app.given.app();
    const { endpoint } = await storeEndpoint(money.app.nest, app.id, { url: receiver.url });
    const { endpoint: other } = await storeEndpoint(money.app.nest, app.id, { eventTypes: ['key.revoked'] });
    await observer.rows('update webhook_endpoints set sealed_secret = $1 where id = $2', [
      other.sealedSecret,
      endpoint.id,
    ]);
    await rename(app);
  });

  drill(
    ['TransfersStuck', 'TransferOld'],
    'a payment is in no block for half an hour',
    async () => {
      const id = await confirmed(await money.payer('ethereum'));
      await becomes(id, 'stage', 'submitted');
      // A block without what offers less.
      await money.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${(100n * 10n ** 9n).toString(16)}`);
      await money.anvil.mine();
      await observer.age(id, 1_801);
    },
    () => money.look(),
  );

  it('feeds the panel of what is stuck', () => fed(QUERIES.filter(({ panel }) => panel === OF_STUCK)));

  drill(['SenderQueuesHeld'], 'the chain has a payment of a wallet that the database lacks', async () => {
    await money.anvil.call('anvil_setNextBlockBaseFeePerGas', '0x1');
    const payer = await money.payer('ethereum');
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    await money.anvil.call('eth_sendTransaction', { from: payer.address, to: newAddress('ethereum'), value: '0x1' });
    await money.anvil.mine(FINALITY + 2);
    await confirmed(payer).catch(() => undefined);
  });

  drill(['DepositsBehind'], 'a node serves no logs while 400 blocks come', async () => {
    await eventually(async () => expect(await observer.rows('select from deposit_scans')).toHaveLength(1));
    money.proxies.ethereum.fault = (method) => (method === 'eth_getLogs' ? 'unavailable' : null);
    await money.anvil.mine(400);
  });

  it('raises no alert about deposits when the node serves logs again', async () => {
    money.proxies.ethereum.fault = () => null;
    await eventually(async () => expect(await active()).not.toContain('DepositsBehind'));
  });

  drill(
    ['TransferSentAgain', 'DepositsStopped'],
    'the chain loses a final block',
    async () => {
      const payer = await money.payer('ethereum');
      const id = await confirmed(payer);
      await becomes(id, 'stage', 'submitted');
      await money.anvil.mine();
      await becomes(id, 'stage', 'mined');
      await money.anvil.mine(FINALITY);
      await becomes(id, 'status', 'completed');
      const newest = await money.anvil.provider.getBlockNumber();
      await eventually(async () => {
        const [scan] = await observer.rows<{ block: string }>(
          `select block_number as block from deposit_scans where chain = 'ethereum'`,
        );
        expect(Number(scan?.block)).toBe(newest - FINALITY);
      });
      const next = await confirmed(payer);
      await money.anvil.reorganise(FINALITY + 1);
      await observer.age(next, 400);
    },
    async () => {
      await money.look();
      await money.anvil.mine();
    },
  );

  drill(
    ['ChainEndpointFails', 'ChainEndpointBehind'],
    'an endpoint falls silent while 25 blocks come',
    async () => {
      endpoints[1].fault = () => 'request_lost';
      await second.mine(25);
    },
    checkEndpoints,
  );

  it('ChainEndpointStands: of two endpoints the one whose height has changed raises nothing', async () => {
    await eventually(async () => {
      const alerts = await prometheus.active();
      const standing = alerts
        .map(({ labels }) => labels)
        .filter(({ alertname, chain }) => alertname === 'ChainEndpointStands' && chain === 'second');
      expect(standing.map(({ endpoint }) => endpoint)).toEqual(['2']);
    });
  });

  drill(
    ['ChainEndpointDisagrees'],
    'an endpoint is on another chain',
    async () => {
      endpoints[1].fault = () => null;
      endpoints[1].target = money.anvil.url;
    },
    checkEndpoints,
  );

  it('feeds every panel of the dashboards', async () => {
    const app = await money.app.given.app();
    const post = (path: string, body: object) => money.app.call('POST', path, { key: app.secretKey, body });
    const email = `${unique()}@example.com`;
    const { body: asked } = await post('/v1/auth/otps/email/login_or_create', { email });
    const otp = await eventually(() =>
      Promise.resolve(codeIn(mail.mails.find(({ to }) => to === email)!.parsed.text ?? '')),
    );
    const login = { method_id: asked.email_id, session_expires_in: 60 };
    expect((await post('/v1/auth/otps/verify', { ...login, otp: '000000' })).status).toBe(400);
    const { status, body: opened } = await post('/v1/auth/otps/verify', { ...login, otp });
    expect(status).toBe(200);
    await fed(
      QUERIES.filter(({ panel }) => panel !== OF_PROVIDER && panel !== OF_STUCK),
      async () => {
        await post('/v1/auth/sessions/verify', { session_token: opened.session_token });
        await post('/v1/auth/otps/verify', { ...login, otp });
      },
    );
  });

  drill(['TransfersWithoutNetwork'], 'a network is taken out of the configuration', async () => {
    endpoints[1].target = second.url;
    const payer = await money.payer('ethereum');
    await second.fund(payer.address, 10n * ETH);
    await money.app.ok('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: money.app.managementKey,
      body: { networks: ['ethereum', 'second', 'solana'] },
    });
    await confirmed(payer, { network: 'second', source_currency: 'ETH', dest_currency: undefined });
    replica = await money.replica({ NETWORKS: '{}' });
    await prometheus.watch(money.app, replica);
    reads = () => replica!.nest.get(HttpMetrics).readTables();
  });
});
