import type { DataSource } from 'typeorm';
import { storedBooks } from '../modules/transfer/commands.js';
import type { Query } from '../services/crypto/key-check.js';
import type { Keyring } from '../services/crypto/keyring.js';
import { SystemClock } from '../services/system-clock.js';
import { type Commands, FaultsFound, type Result } from '../services/cli/command.js';
import { signingStop } from './signing-stop.js';
import type { Workspace } from './workspace.js';

const MAX_CLOCK_SKEW_MS = 2_000;

export const DOCTOR_COMMANDS: Commands<Workspace> = {
  doctor: {
    summary:
      'Check configuration, database, clock and master keys. --chains also compares the sender queues with the chain, and asks the nodes. Exits with status 1 when a check fails.',
    options: { chains: { type: 'boolean', default: false } },
    run: ({ chains }, workspace) => diagnose(workspace, chains === true),
  },
};

async function diagnose(workspace: Workspace, asksChains: boolean): Promise<Result> {
  const [{ durabilityFaults }, { lacksMigrations, requireCreation }, { sqlObjects }, { Keyring }] = await Promise.all([
    import('../postgres/durability.js'),
    import('../postgres/migrate.js'),
    import('../postgres/sql-objects.js'),
    import('../services/crypto/keyring.js'),
  ]);
  const found: Record<string, string> = { configuration: 'ok', database: 'not reached' };
  let isHealthy = true;
  const check = async (name: string, finding: () => Promise<string>): Promise<void> => {
    try {
      found[name] = await finding();
    } catch (error) {
      isHealthy = false;
      found[name] = error instanceof Error ? error.message : String(error);
    }
  };
  await check('database', async () => {
    await workspace.withDataSource(async (dataSource) => {
      let isMigrated = false;
      await check('migrations', async () => {
        if (await lacksMigrations(dataSource, sqlObjects())) {
          await requireCreation((sql) => dataSource.query(sql));
          throw new Error('Some are missing. Run: migrate');
        }
        isMigrated = true;
        return 'ok';
      });
      await check('clock', () => checkClock(dataSource));
      await check('durability', async () => {
        const faults = (await durabilityFaults((sql) => dataSource.query(sql))).join(' ');
        if (faults && workspace.config.isProduction) throw new Error(faults);
        return faults || 'ok';
      });
      await check('master_keys', async () => {
        const keyring = await Keyring.load(workspace.config);
        if (!isMigrated) return 'readable; run migrate, then doctor again to check them against the database';
        await verifyWithoutKeeping(dataSource, keyring, !workspace.config.hasKeyProvider);
        return 'ok';
      });
      if (isHealthy && workspace.config.keyProviders)
        await check('key_provider', async () => (await import('./key-provider.js')).checkKeyProvider(workspace));
      if (isHealthy) await check('books', () => checkBooks(workspace, dataSource, asksChains));
      if (isMigrated) await check('wallet_keys', () => checkWalletKeys(dataSource));
      if (isMigrated)
        await check('signing', async () => {
          const stop = await signingStop((sql) => dataSource.query(sql));
          return stop === null ? 'ok' : `stopped for all apps since ${stop.since.toISOString()}: ${stop.reason}`;
        });
      if (isMigrated) await check('messages', () => checkMessages(dataSource));
      if (asksChains && isMigrated && isHealthy && workspace.config.networks.some(({ rpc }) => rpc.length > 0))
        await check('nodes', () => checkNodes(workspace));
    });
    return 'ok';
  });
  const { openFilesFault } = await import('../services/open-files.js');
  // No failure: the service takes fewer connections then.
  found['open_files'] = openFilesFault() ?? 'ok';
  const { smtpUrl } = workspace.config;
  if (smtpUrl) await check('mail_server', () => checkMailServer(smtpUrl));
  if (!isHealthy) throw new FaultsFound(found);
  return found;
}

/** A mail server without SMTPUTF8 refuses few addresses, so this is no failure. */
async function checkMailServer(url: string): Promise<string> {
  const { SmtpServer } = await import('../services/mail/mail-server.js');
  const server = new SmtpServer(url);
  try {
    const gap = await server.gap();
    return gap === null ? 'ok' : `ok, but ${gap}`;
  } catch {
    throw new Error('The mail server of SMTP_URL does not answer.');
  } finally {
    await server.close();
  }
}

/** The comparison loads the service, which takes two seconds of processor time. */
async function checkBooks(workspace: Workspace, dataSource: DataSource, asksChains: boolean): Promise<string> {
  const paid = (await dataSource.query(
    'select from transfers t join known_apps a on a.app_id = t.app_id limit 1',
  )) as readonly object[];
  if (paid.length === 0) return 'ok';
  if (asksChains) return (await import('./transfers.js')).checkBooks(workspace);
  return workspace.withDatabase(storedBooks);
}

/** Names each node that cannot be used, by its place in the configuration: its URL may hold a key. */
async function checkNodes(workspace: Workspace): Promise<string> {
  const { Chains } = await import('../kernel/chain/chain.js');
  const chains = (await workspace.service()).get(Chains, { strict: false });
  await chains.checkEndpoints();
  const faults = chains.all.flatMap(({ name, endpoints }) =>
    endpoints.flatMap(({ fault }, index) => (fault === null ? [] : [`${name} ${index + 1}: ${fault}`])),
  );
  if (faults.length > 0) throw new Error(faults.join(' '));
  return 'ok';
}

async function checkClock(dataSource: DataSource): Promise<string> {
  const skewMs = await clockSkewMs(dataSource);
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return 'ok';
  throw new Error(`This machine's clock differs from the database's clock by ${Math.round(skewMs)} ms.`);
}

async function checkWalletKeys(dataSource: DataSource): Promise<string> {
  const shared = (await dataSource.query(
    `select app_id, wallet_id, public_address
       from (select s.*, count(*) over (partition by public_address, wallet_type) as apps
               from shared_keys s join live_apps a on a.app_id = s.app_id) live
      where apps > 1 order by public_address, app_id limit 1000`,
  )) as readonly { app_id: string; wallet_id: string; public_address: string }[];
  if (shared.length === 0) return 'ok';
  const wallets = shared.map(({ app_id, wallet_id, public_address }) => `${app_id} ${wallet_id} (${public_address})`);
  throw new Error(
    `Several apps send from one address and use the same nonces. Keep the key in one of them: ${wallets.join(', ')}`,
  );
}

/** A default from before policies lets hashes pass for these apps. This is no failure. */
async function checkMessages(dataSource: DataSource): Promise<string> {
  const apps = (await dataSource.query(
    `select id from apps a
      where deleted_at is null and not signing_policy ?| array['messages', 'defaultMessages']
        and exists (select 1 from policies p where p.app_id = a.id and p.state = 'active')
      order by id limit 1000`,
  )) as readonly { id: string }[];
  if (apps.length === 0) return 'ok';
  const ids = apps.map(({ id }) => id).join(', ');
  return `ok, but wallets of apps with policies sign any message, also the hash of a smart account's transaction. Set signing_policy.messages of these apps: ${ids}`;
}

async function clockSkewMs(dataSource: DataSource): Promise<number> {
  const sent = performance.now();
  const [row] = (await dataSource.query('select extract(epoch from clock_timestamp()) * 1000 as now')) as [
    { now: string },
  ];
  const now = new SystemClock().now().getTime();
  return now - (performance.now() - sent) / 2 - Number(row.now);
}

/** Throws unless the keys of the configuration are those of the database. */
export async function requireKeys(workspace: Workspace, dataSource: DataSource): Promise<void> {
  const { config } = workspace;
  const { Keyring } = await import('../services/crypto/keyring.js');
  await verifyWithoutKeeping(dataSource, await Keyring.load(config), !config.hasKeyProvider);
  if (config.hasKeyProvider) await (await import('./key-provider.js')).checkKeyProvider(workspace);
}

/** The check of a start. The rows that it stores for new keys are rolled back. */
async function verifyWithoutKeeping(dataSource: DataSource, keyring: Keyring, seals: boolean): Promise<void> {
  const [{ verifyKeyring }, { EnvelopeVault }, { KeyringKeyWrapper }, { openServiceSecret }] = await Promise.all([
    import('../services/crypto/key-check.js'),
    import('../services/crypto/envelope-vault.js'),
    import('../services/crypto/keyring-key-wrapper.js'),
    import('../services/crypto/service-secret.js'),
  ]);
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const query: Query = (sql, parameters) => runner.query(sql, parameters as unknown[]);
    const form = await verifyKeyring(query, keyring, seals);
    // With a key provider, the service that `key_provider` starts has opened it.
    if (seals) await openServiceSecret(query, new EnvelopeVault(new KeyringKeyWrapper(keyring)), form);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}
