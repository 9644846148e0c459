import { snakeCase } from '../../src/kernel/snake-case.js';
import { generateKeyPairSync } from 'node:crypto';
import { MacTables } from '../../src/kernel/row-macs.js';
import type { ExtendedSealContext, SealBinding, SealedColumn } from '../../src/kernel/vault.js';
import { SealBroken, Vault } from '../../src/kernel/vault.js';
import { AuditKeys } from '../../src/modules/audit/index.js';
import { Rewrapping } from '../../src/services/crypto/rewrapping.js';
import { Database } from '../../src/postgres/database.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { HttpMetrics } from '../../src/services/observability/metrics.js';
import { type HostileProvider, startHostileProvider } from '../support/hostile-provider.js';
import { type GivenApp, unique } from '../support/given.js';
import { factsOfModules, ofAll } from '../support/module-facts.js';

/** Columns of type bytea that hold no sealed value, each with its reason. */
const UNSEALED: Readonly<Record<string, string>> = {
  ...ofAll(({ unsealed }) => unsealed),
  ...Object.fromEntries(
    MacTables.declared.map(({ table, column = 'mac' }) => [`${table}.${snakeCase(column)}`, 'HMAC']),
  ),
  'api_keys.key_hash': 'hash',
  'idempotency_keys.body_digest': 'hash',
  'idempotency_keys.body_hash': 'hash',
  'idempotency_keys.key_hash': 'hash',
  'key_escrows.recipients_hash': 'hash',
  'login_tickets.token_hash': 'hash',
  'magic_links.token_hash': 'hash',
  'management_keys.key_hash': 'hash',
  'management_sessions.token_hash': 'hash',
  'master_keys.check_value': 'HMAC',
  'oauth_states.browser_hash': 'hash',
  'oauth_states.state_hash': 'hash',
  'otps.code_hash': 'HMAC',
  'replaced_magic_links.token_hash': 'hash',
  'operator_sign_ins.state_hash': 'hash',
  'sessions.token_hash': 'hash',
  'signing_keys.public_mac': 'HMAC',
  'signing_macs.signing_mac': 'HMAC',
  'users.app_data_mac': 'HMAC',
  'users.claim_mac': 'HMAC',
  'transfer_attempts.raw': 'a signed transaction, public once it is sent',
  'wrapping_keys.check_value': 'HMAC',
  'wrapping_keys.wrapped_key': 'wrapped by the key provider',
};

/** Sealed columns of tables with `app_id` whose values are not bound to it, and why. */
const BOUND_TO_NO_APP: Readonly<Record<string, string>> = {
  'jobs.payload':
    'the app of a job decides only which operators see it; the payload itself names the app that it is for',
};

type Row = Readonly<Record<string, unknown>> & { readonly sealed: Buffer };
interface Sample {
  readonly name: string;
  readonly column: SealedColumn;
  /** Two rows of one app if the table has apps, so that their values can be swapped. */
  readonly row: Row;
  readonly neighbour: Row;
  /** A row of another app; null if the table has no apps. */
  readonly stranger: Row | null;
}

let service: TestApp;
let provider: HostileProvider;
let samples: Sample[];
const apps: GivenApp[] = [];

beforeAll(async () => {
  // Without a worker the queued mails stay in their table.
  service = await startApp({ env: { ROLE: 'api' } });
  provider = await startHostileProvider();
  for (let i = 0; i < 2; i++) apps.push(await service.given.app());
  for (const app of apps) await fill(app);
  // The table has one row in production.
  await service.nest
    .get(Database)
    .write(`insert into service_secrets (id, sealed_secret) values ('other', $1)`, [
      service.nest.get(Vault).seal(Buffer.alloc(32, 7), ['service-secret', 'other']),
    ]);
  for (let i = 0; i < 2; i++) await service.nest.get(AuditKeys, { strict: false }).rotate();
  samples = await Promise.all(columns().map(sampleOf));
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

const columns = (): readonly SealedColumn[] => service.nest.get(Rewrapping).columns;
const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;

/** At least two rows in every table with a sealed column, made by the calls that make them in production. */
async function fill(app: GivenApp): Promise<void> {
  const post = async (path: string, body: object, headers = {}) => {
    const answer = await service.call('POST', path, { key: app.secretKey, body, headers });
    if (answer.status !== 200) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const name of ['one', 'two'])
    await service.given.connection(app, {
      provider: name,
      issuer: provider.issuer,
      client_id: 'c',
      client_secret: 's',
      private_key,
    });
  await service.given.redirectUrl(app, 'login', 'https://shop.example/login');
  await service.given.redirectUrl(app, 'registration', 'https://shop.example/welcome');
  await service.call('GET', `/v1/auth/jwks/${app.id}`);
  for (const { sealed } of factsOfModules) await sealed?.(service, app);
  for (let i = 0; i < 2; i++) {
    const { user_id } = await service.given.user(app);
    await post('/v1/auth/totps/create', { user_id });
    await post('/v1/wallets/import/begin', { user_id, wallet_type: 'ethereum' });
    await post('/v1/auth/otps/email/login_or_create', { email: `${unique()}@example.com` });
    await post('/v1/auth/users/create', { email: `${unique()}@example.com` }, { 'idempotency-key': unique() });
    const begun = await service.call('GET', '/v1/auth/oauth/one/begin', { query: { public_token: app.publicToken } });
    const callback = new URL(provider.authorize(begun.body.redirect_url));
    const back = await service.call('GET', callback.pathname + callback.search);
    if (!back.headers.get('location')?.includes('token=')) throw new Error(`The login failed: ${back.text}`);
  }
}

async function sampleOf(column: SealedColumn): Promise<Sample> {
  const rows = await service.nest
    .get(Database)
    .write<Row>(`select *, ${column.column} as sealed from ${column.table} where ${column.column} is not null`);
  const [row] = rows;
  const others = rows.filter((each) => each !== row);
  const neighbour = others.find((each) => each['app_id'] === row!['app_id']);
  const name = nameOf(column);
  if (!row || !neighbour) throw new Error(`Give ${name} two rows of one app by the part \`sealed\` of facts.ts.`);
  const stranger = others.find((each) => each['app_id'] !== row['app_id']) ?? null;
  if ('app_id' in row && !stranger)
    throw new Error(`Give ${name} a row of another app by the part \`sealed\` of facts.ts.`);
  return { name, column, row, neighbour, stranger };
}

function opens({ row }: Sample, binding: SealBinding): boolean {
  try {
    service.nest.get(Vault).open(row.sealed, binding);
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

const noPlaces: Readonly<Record<string, SealBinding>> = {};

/** The other places in which the value of the sample opens; there should be none. */
const openedAt = (places: (sample: Sample) => Readonly<Record<string, SealBinding>>): string[] =>
  samples.flatMap((sample) =>
    Object.entries(places(sample)).flatMap(([place, binding]) =>
      opens(sample, binding) ? [`${sample.name} as ${place}`] : [],
    ),
  );

describe('a sealed column', () => {
  it('is every column of bytes that is not listed here as unsealed', async () => {
    const found = await service.nest.get(Database).write<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea' order by 1`,
    );
    const expected = [...columns().map(nameOf), ...Object.keys(UNSEALED)].toSorted();
    expect(found.map(({ name }) => name).toSorted()).toEqual(expected);
  });

  it('opens its own values in the context that it is registered with', () => {
    const closed = samples.filter((sample) => !opens(sample, sample.column.context(sample.row)));
    expect(closed.map(({ name }) => name)).toEqual([]);
  });

  it('opens no value that was moved from another row of the app', () => {
    expect(openedAt(({ column, neighbour }) => ({ 'a neighbour': column.context(neighbour) }))).toEqual([]);
  });

  it('opens no value that was moved from another app, with or without the other names of its row', () => {
    expect(
      openedAt(({ name, column, row, stranger }) =>
        stranger
          ? {
              stranger: column.context(stranger),
              ...(!(name in BOUND_TO_NO_APP) && {
                'the same row of a stranger': column.context({ ...row, app_id: stranger['app_id'] }),
              }),
            }
          : noPlaces,
      ),
    ).toEqual([]);
  });

  it('opens no value whose row has changed in anything that it is bound to', () => {
    expect(
      openedAt(({ column, row, neighbour }) => {
        const bound = [...column.key, ...(column.reads ?? [])];
        return Object.fromEntries(
          bound.map((name) => [
            `changed ${name}`,
            column.context({ ...row, [name]: otherThan(row[name], neighbour[name]) }),
          ]),
        );
      }),
    ).toEqual([]);
  });

  it('opens no value of another column, not even under the same names', () => {
    expect(
      openedAt((sample) =>
        Object.fromEntries(
          samples
            .filter((other) => other !== sample)
            .map((other) => [other.name, other.column.context(renamed(other, sample))]),
        ),
      ),
    ).toEqual([]);
  });
});

describe('a value in a former context', () => {
  it('opens until it is re-sealed, and is found and re-sealed', async () => {
    const database = service.nest.get(Database);
    const vault = service.nest.get(Vault);
    const extended = samples.filter(({ column, row }) => 'former' in column.context(row));
    expect(extended.every(({ column }) => column.isExtended)).toBe(true);
    expect(extended.map(({ name }) => name).toSorted()).toEqual([
      'oauth_connections.client_secret',
      'oauth_connections.private_key',
      'wallets.sealed_key',
    ]);
    const former = extended.map(({ column, row }) => {
      const binding = column.context(row) as ExtendedSealContext;
      const plaintext = vault.open(row.sealed, binding);
      return { column, row, binding, plaintext, sealed: vault.seal(plaintext, binding.former) };
    });
    for (const { column, row, binding, plaintext, sealed } of former) {
      expect(vault.open(sealed, binding)).toEqual(plaintext);
      await database.write(`update ${column.table} set ${column.column} = $3 where app_id = $1 and id = $2`, [
        row['app_id'],
        row['id'],
        sealed,
      ]);
    }
    expect(await service.nest.get(Rewrapping).rewrapAll()).toEqual({ rewrapped: former.length, broken: 0 });
    for (const { column, row, binding, plaintext } of former) {
      const moved = await database
        .write<{ sealed: Buffer }>(
          `select ${column.column} as sealed from ${column.table} where app_id = $1 and id = $2`,
          [row['app_id'], row['id']],
        )
        .then((rows) => rows[0] ?? null);
      expect(vault.open(moved!.sealed, binding)).toEqual(plaintext);
      expect(() => vault.open(moved!.sealed, binding.former)).toThrow(SealBroken);
    }
  });
});

/** The value of the neighbouring row or, if both are equal, another value of its type. */
function otherThan(own: unknown, neighbours: unknown): unknown {
  if (Buffer.isBuffer(own)) return own.equals(neighbours as Buffer) ? Buffer.concat([own, own]) : neighbours;
  return own === neighbours ? `${String(own)}x` : neighbours;
}

/** The row of `other`, with the names of the sample's row for equal columns and key positions. */
function renamed(other: Sample, { row, column }: Sample): Row {
  const keys = other.column.key.map((name, i) => [name, row[column.key[i]!] ?? other.row[name]] as const);
  return { ...other.row, ...row, ...Object.fromEntries(keys) };
}

describe('a call that needs a sealed value which was altered', () => {
  it.each<[column: string, kind: string, call: (row: Row, app: GivenApp) => Promise<Answer>]>([
    [
      'oauth_connections.client_secret',
      'oauth-connection',
      (row, { publicToken }) =>
        service.call('GET', `/v1/auth/oauth/${String(row['provider'])}/begin`, {
          query: { public_token: publicToken },
        }),
    ],
    [
      'totps.sealed_secret',
      'totp-secret',
      (row, { secretKey: key }) =>
        service.call('POST', '/v1/auth/totps/verify', { key, body: { user_id: row['user_id'], totp: '000000' } }),
    ],
    [
      'totps.sealed_recovery_codes',
      'totp-recovery-codes',
      (row, { secretKey: key }) =>
        service.call('POST', '/v1/auth/totps/recovery_codes', { key, body: { user_id: row['user_id'] } }),
    ],
    [
      'wallets.sealed_key',
      'wallet-key',
      (row, { secretKey: key }) =>
        service.call('POST', `/v1/wallets/${String(row['id'])}/sign_message`, { key, body: { message: 'hello' } }),
    ],
    [
      'wallet_imports.sealed_private_key',
      'wallet-import-key',
      (row, { secretKey: key }) =>
        service.call('POST', '/v1/wallets/import', {
          key,
          body: { id: row['id'], encapsulated_key: 'AAAA', ciphertext: 'AAAA' },
        }),
    ],
  ])('%s: the answer is 503 sealed_value_unavailable and the alarm counts it', async (name, kind, call) => {
    const sample = samples.find((each) => each.name === name)!;
    const { table, column } = sample.column;
    const app = apps.find(({ id }) => id === sample.row['app_id'])!;
    const store = (sealed: Uint8Array) =>
      service.nest
        .get(Database)
        .write(`update ${table} set ${column} = $3 where app_id = $1 and id = $2`, [app.id, sample.row['id'], sealed]);
    const alarms = async (): Promise<number> => {
      // Not by HTTP, where many scrapes in a second get the same text.
      const text = await service.nest.get(HttpMetrics).registry.metrics();
      return Number(new RegExp(`^seal_failures_total\\{kind="${kind}"\\} (\\d+)`, 'm').exec(text)?.[1]);
    };
    const altered = Buffer.from(sample.row.sealed);
    altered[60]! ^= 0xff;
    const before = await alarms();
    await store(altered);
    try {
      expect(await call(sample.row, app)).toMatchObject({
        status: 503,
        body: { error_type: 'sealed_value_unavailable' },
      });
      expect(await alarms()).toBe(before + 1);
    } finally {
      await store(sample.row.sealed);
    }
  });
});
