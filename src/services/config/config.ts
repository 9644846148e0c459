import { resolve } from 'node:path';
import { consoleOidcIn } from './console-oidc.js';
import { EnvironmentReader } from './environment-reader.js';
import { keyProvidersIn } from './key-providers.js';
import { masterKeysOf } from './master-keys.js';
import { networksOf, networksOn } from './networks-in-environment.js';
import type { EvmNetwork } from './networks.js';
import { openTelemetryIn } from './open-telemetry.js';
import { twilioIn } from './twilio.js';

export type NodeEnv = 'production' | 'development' | 'test';
export type Role = 'all' | 'api' | 'worker';
export type LogFormat = 'json' | 'pretty';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The message contains no values. */
export class ConfigurationRefused extends Error {
  override readonly name = 'ConfigurationRefused';
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  - ${faults.join('\n  - ')}`,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function settingsIn(env: Environment, isTerminal: boolean) {
  const read = new EnvironmentReader(env);
  const nodeEnv = read.oneOf<NodeEnv>('NODE_ENV', ['production', 'development', 'test'], 'development');
  const isProduction = nodeEnv === 'production';
  const port = read.integer('PORT', 3000, 0, 65_535);
  const baseUrl = read.baseUrl('BASE_URL') ?? `http://localhost:${port}`;
  const networks = networksOf(read);
  const settings = {
    nodeEnv,
    port,
    host: read.text('HOST') ?? '127.0.0.1',
    healthPort: read.text('HEALTH_PORT') === undefined ? undefined : read.integer('HEALTH_PORT', 0, 0, 65_535),
    metricsOn: read.oneOf<'both' | 'health'>('METRICS_ON', ['both', 'health'], 'both'),
    /** Clients reach the service by it. It has no trailing slash. */
    baseUrl,
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    /** Migrations and `SeparateConnections` use it when `databaseUrl` leads to a transaction pooler. */
    databaseDirectUrl: read.databaseUrl('DATABASE_DIRECT_URL'),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 2, 200),
    dataDir: resolve(read.text('DATA_DIR') ?? './data'),
    managementKey: read.matching('MANAGEMENT_KEY', /^mk_[A-Za-z0-9]{32,128}$/, 'mk_ and 32 to 128 letters or digits'),
    consoleOidc: consoleOidcIn(read),
    /** `id:base64,…`, the first is current. When absent outside production, a key is made once and kept in `dataDir`. */
    masterKeys: masterKeysOf(read),
    keyProviders: keyProvidersIn(read),
    unkeyedHashesUntil: read.date('UNKEYED_HASHES_UNTIL', '2027-07-01'),
    allowPrivateNetworks: read.flag('ALLOW_PRIVATE_NETWORKS', !isProduction),
    dnsServers: read.nameServers('DNS_SERVERS'),
    trustProxy: read.trustProxy('TRUST_PROXY'),
    publicRate: read.integer('PUBLIC_RATE', 100, 1, 1_000_000),
    drainSeconds: read.integer('DRAIN_SECONDS', 5, 0, 3_600),
    sessionClaim: read.claim('SESSION_CLAIM') ?? `${baseUrl}/jwt/session`,
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.mailbox('MAIL_FROM') ?? `no-reply@${new URL(baseUrl).hostname}`,
    smsUrl: read.url('SMS_URL', ['http:', 'https:']),
    twilio: twilioIn(read),
    /** The first two are `ethereum`, which may be of any EVM kind, and `solana`; each may have no node. */
    networks,
    /** A sign-in text may also name these. */
    signInChainIds: [] as readonly number[],
    /** Rent of accounts that the transfer creates is not a fee. */
    solanaMaxFeeLamports: BigInt(read.integer('SOLANA_MAX_FEE', 1_000_000, 5_000, 1_000_000_000)),
    transferConfirmWaitSeconds: read.integer('TRANSFER_CONFIRM_WAIT_SECONDS', 20, 0, 120),
    transferBumpAfterSeconds: read.integer('TRANSFER_BUMP_AFTER_SECONDS', 300, 1, 86_400),
    transferStuckAfterSeconds: read.integer('TRANSFER_STUCK_AFTER_SECONDS', 1800, 1, 86_400),
    depositsOn: networksOn(read, 'DEPOSITS', networks),
    eventRetentionDays: read.integer('EVENT_RETENTION_DAYS', 90, 1, 3_650),
    auditRefusalsDays: read.integer('AUDIT_REFUSALS_DAYS', 400, 1, 3_650),
    deliveryRetentionDays: read.integer('DELIVERY_RETENTION_DAYS', 30, 4, 3_650),
    role: read.oneOf<Role>('ROLE', ['all', 'api', 'worker'], 'all'),
    readOnly: read.flag('READ_ONLY', false),
    logLevel: read.oneOf<LogLevel>(
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      nodeEnv === 'test' ? 'silent' : 'info',
    ),
    loggedReadsPercent: read.integer('LOG_READS_PERCENT', 100, 0, 100),
    openTelemetry: openTelemetryIn(read),
    logFormat: read.oneOf<LogFormat>(
      'LOG_FORMAT',
      ['json', 'pretty'],
      isTerminal && nodeEnv === 'development' ? 'pretty' : 'json',
    ),
  };
  const { databaseUrl, databaseDirectUrl, smtpUrl, smsUrl, twilio } = settings;
  if (databaseDirectUrl && !databaseUrl) read.faults.push('DATABASE_DIRECT_URL needs DATABASE_URL.');
  if (settings.metricsOn === 'health' && settings.healthPort === undefined)
    read.faults.push('METRICS_ON=health needs HEALTH_PORT.');
  if (settings.healthPort === settings.port && settings.port !== 0)
    read.faults.push('HEALTH_PORT must differ from PORT.');
  if (smsUrl && twilio) read.faults.push('SMS_URL and TWILIO_ACCOUNT_SID exclude each other.');
  if (isProduction) {
    for (const name of ['BASE_URL', 'DATABASE_URL']) read.required(name);
    if (!settings.keyProviders?.current) read.required('MASTER_KEYS');
    if (smtpUrl) read.required('MAIL_FROM');
  }
  if (read.faults.length > 0) throw new ConfigurationRefused(read.faults);
  return settings;
}

type Settings = Readonly<ReturnType<typeof settingsIn>>;

/** States each setting once: `Config` has the types of its properties. */
const WithSettings = Object as unknown as new () => Settings;

/** No other file reads environment variables. */
export class Config extends WithSettings {
  private constructor(settings: Settings) {
    super();
    Object.assign(this, settings);
  }

  /** Throws `ConfigurationRefused`, which names every fault. */
  static read(env: Environment = process.env, isTerminal: boolean = process.stdout.isTTY): Config {
    return new Config(settingsIn(env, isTerminal));
  }

  /** Payments are tracked also without workers. */
  get hasWorkers(): boolean {
    return this.role !== 'api' && !this.readOnly;
  }

  get ethereum(): EvmNetwork {
    return this.networks[0] as EvmNetwork;
  }

  /** True in development beside the embedded PostgreSQL, if no other network is configured. */
  get hasLocalChain(): boolean {
    return this.nodeEnv === 'development' && !this.databaseUrl && this.ethereum.rpc.length === 0;
  }

  /** The newest block of that network is final. Wallets that know only the configured chain still sign in. */
  withEthereum(url: string, chainId: number): Config {
    const { ethereum } = this;
    const networks = [{ ...ethereum, rpc: [url], chainId, finality: 0 }, ...this.networks.slice(1)];
    return new Config({ ...this, networks, signInChainIds: [ethereum.chainId] });
  }

  get hasKeyProvider(): boolean {
    return this.keyProviders?.current !== undefined;
  }

  get isProduction(): boolean {
    return this.nodeEnv === 'production';
  }
}
