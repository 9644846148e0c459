import { isAbsolute, resolve } from 'node:path';
import { EnvironmentReader, type TwilioSettings } from './environment-reader.js';

export type NodeEnv = 'production' | 'development' | 'test';
export type Role = 'all' | 'api' | 'worker';
export type LogFormat = 'json' | 'pretty';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Names all faults of the environment at once. The message contains no values. */
export class ConfigurationRefused extends Error {
  override readonly name = 'ConfigurationRefused';
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  - ${faults.join('\n  - ')}`,
    );
  }
}

/** The service's settings, read once from the environment. No other file reads environment variables. */
export class Config {
  readonly nodeEnv: NodeEnv;
  readonly port: number;
  readonly host: string;
  /** The URL by which clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  /** When absent, an embedded PostgreSQL in `dataDir` is started. */
  readonly databaseUrl: string | undefined;
  /** Where migrations and `SeparateConnections` connect to when `databaseUrl` leads to a transaction pooler. */
  readonly databaseDirectUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly dataDir: string;
  readonly managementKey: string | undefined;
  /** `id:base64,…`, the first is current. When absent outside production, a key is made once and kept in `dataDir`. */
  readonly masterKeys: string | undefined;
  /** From then on, hashes that releases before 1.0 stored are refused instead of upgraded. */
  readonly unkeyedHashesUntil: Date;
  readonly allowPrivateNetworks: boolean;
  /** Name servers for outbound calls; when empty, those of the system. */
  readonly dnsServers: readonly string[];
  /** Express's `trust proxy`: how many proxies, or which addresses, may set X-Forwarded-For. */
  readonly trustProxy: number | string | false;
  /** Calls per second without a secret key, per client network. */
  readonly publicRate: number;
  /** How long requests are taken after SIGTERM while `/readyz` already fails, so that a load balancer sends the next ones elsewhere. */
  readonly drainSeconds: number;
  readonly sessionClaim: string;
  /** When absent outside production, mails become files in `dataDir`. */
  readonly smtpUrl: string | undefined;
  /** The sender's address of mails of apps that have not set one. */
  readonly mailFrom: string;
  /** Receives every SMS as JSON by POST. When this and `twilio` are absent outside production, SMS become files. */
  readonly smsUrl: string | undefined;
  readonly twilio: TwilioSettings | undefined;
  /** The Ethereum endpoints. When empty, there are no Ethereum transfers. */
  readonly ethereumRpcUrls: readonly string[];
  readonly ethereumChainId: number;
  /** The chains that a sign-in text may name. */
  readonly signInChainIds: readonly number[];
  /** The number of later blocks after which a block is final. When absent, the node's `finalized` tag decides. */
  readonly ethereumFinalityDepth: number | undefined;
  /** The highest `maxFeePerGas` that the service signs, even when a node suggests more. */
  readonly ethereumMaxFeePerGasWei: bigint;
  /** The highest `maxPriorityFeePerGas` that the service signs. */
  readonly ethereumMaxTipWei: bigint;
  /** The lowest tip, in wei per gas. */
  readonly ethereumMinTipWei: bigint;
  readonly solanaRpcUrls: readonly string[];
  /** The highest total of fees of one Solana transfer. Rent of accounts that it creates is not a fee. */
  readonly solanaMaxFeeLamports: bigint;
  /** How long a confirm call waits for the chain. */
  readonly transferConfirmWaitSeconds: number;
  /** An Ethereum transfer that is not mined after this time is replaced with higher fees. */
  readonly transferBumpAfterSeconds: number;
  /** A transfer that is not mined after this time is reported as stuck. */
  readonly transferStuckAfterSeconds: number;
  /** After this time an event is removed from the log. */
  readonly eventRetentionDays: number;
  /** After this time a delivery to a webhook is removed, with its attempts. */
  readonly deliveryRetentionDays: number;
  /** How long entries of refused calls stay in the audit log. */
  readonly auditRefusalsDays: number;
  readonly role: Role;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;

  private constructor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean) {
    const read = new EnvironmentReader(env);
    this.nodeEnv = read.oneOf('NODE_ENV', ['production', 'development', 'test'], 'development');
    this.port = read.integer('PORT', 3000, 0, 65_535);
    this.host = read.text('HOST') ?? '127.0.0.1';
    this.baseUrl = read.baseUrl('BASE_URL') ?? `http://localhost:${this.port}`;
    this.databaseUrl = read.databaseUrl('DATABASE_URL');
    this.databaseDirectUrl = read.databaseUrl('DATABASE_DIRECT_URL');
    if (this.databaseDirectUrl && !this.databaseUrl) read.faults.push('DATABASE_DIRECT_URL needs DATABASE_URL.');
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 200);
    const dataDir = read.text('DATA_DIR') ?? './data';
    this.dataDir = isAbsolute(dataDir) ? dataDir : resolve(dataDir);
    this.managementKey = read.matching(
      'MANAGEMENT_KEY',
      /^mk_[A-Za-z0-9]{32,128}$/,
      'mk_ and 32 to 128 letters or digits',
    );
    this.masterKeys = read.masterKeys('MASTER_KEYS');
    this.unkeyedHashesUntil = read.date('UNKEYED_HASHES_UNTIL', '2027-07-01');
    this.allowPrivateNetworks = read.flag('ALLOW_PRIVATE_NETWORKS', !this.isProduction);
    this.dnsServers = read.nameServers('DNS_SERVERS');
    this.trustProxy = read.trustProxy('TRUST_PROXY');
    this.publicRate = read.integer('PUBLIC_RATE', 100, 1, 1_000_000);
    this.drainSeconds = read.integer('DRAIN_SECONDS', 5, 0, 3_600);
    this.sessionClaim = read.claim('SESSION_CLAIM') ?? `${this.baseUrl}/jwt/session`;
    this.smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
    this.mailFrom = read.mailbox('MAIL_FROM') ?? `no-reply@${new URL(this.baseUrl).hostname}`;
    this.smsUrl = read.url('SMS_URL', ['http:', 'https:']);
    this.twilio = read.twilio();
    if (this.smsUrl && this.twilio) read.faults.push('SMS_URL and TWILIO_ACCOUNT_SID exclude each other.');
    this.ethereumRpcUrls = read.urls('ETHEREUM_RPC_URL', ['http:', 'https:']);
    this.ethereumChainId = read.integer('ETHEREUM_CHAIN_ID', 1, 1, Number.MAX_SAFE_INTEGER);
    this.signInChainIds = [this.ethereumChainId];
    this.ethereumFinalityDepth =
      read.text('ETHEREUM_FINALITY_DEPTH') === undefined
        ? undefined
        : read.integer('ETHEREUM_FINALITY_DEPTH', 0, 0, 100_000);
    this.ethereumMaxFeePerGasWei = read.gwei('ETHEREUM_MAX_FEE_PER_GAS', 500);
    this.ethereumMaxTipWei = read.gwei('ETHEREUM_MAX_TIP', 50);
    this.ethereumMinTipWei = read.gwei('ETHEREUM_MIN_TIP', 0.001);
    if (read.text('ETHEREUM_MIN_TIP') !== undefined && this.ethereumMinTipWei > this.ethereumMaxTipWei)
      read.faults.push('ETHEREUM_MIN_TIP must not be above ETHEREUM_MAX_TIP.');
    this.solanaRpcUrls = read.urls('SOLANA_RPC_URL', ['http:', 'https:']);
    this.solanaMaxFeeLamports = BigInt(read.integer('SOLANA_MAX_FEE', 1_000_000, 5_000, 1_000_000_000));
    this.transferConfirmWaitSeconds = read.integer('TRANSFER_CONFIRM_WAIT_SECONDS', 20, 0, 120);
    this.transferBumpAfterSeconds = read.integer('TRANSFER_BUMP_AFTER_SECONDS', 300, 1, 86_400);
    this.transferStuckAfterSeconds = read.integer('TRANSFER_STUCK_AFTER_SECONDS', 1800, 1, 86_400);
    this.eventRetentionDays = read.integer('EVENT_RETENTION_DAYS', 90, 1, 3_650);
    this.auditRefusalsDays = read.integer('AUDIT_REFUSALS_DAYS', 400, 1, 3_650);
    this.deliveryRetentionDays = read.integer('DELIVERY_RETENTION_DAYS', 30, 4, 3_650);
    this.role = read.oneOf('ROLE', ['all', 'api', 'worker'], 'all');
    this.logLevel = read.oneOf(
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      this.nodeEnv === 'test' ? 'silent' : 'info',
    );
    const isWatched = isTerminal && this.nodeEnv === 'development';
    this.logFormat = read.oneOf('LOG_FORMAT', ['json', 'pretty'], isWatched ? 'pretty' : 'json');
    if (this.isProduction) {
      for (const name of ['MASTER_KEYS', 'BASE_URL', 'DATABASE_URL']) read.required(name);
      if (this.smtpUrl) read.required('MAIL_FROM');
    }
    if (read.faults.length > 0) throw new ConfigurationRefused(read.faults);
  }

  /** Reads and checks all settings. Throws `ConfigurationRefused`, which names every fault. */
  static read(
    env: Readonly<Record<string, string | undefined>> = process.env,
    isTerminal: boolean = process.stdout.isTTY,
  ): Config {
    return new Config(env, isTerminal);
  }

  /**
   * The same settings with a network of one node that this process has started. Its newest block is final. Wallets that know
   * only the configured chain still sign in.
   */
  withEthereum(url: string, chainId: number): Config {
    const signInChainIds = [...new Set([...this.signInChainIds, chainId])];
    const network = { ethereumRpcUrls: [url], ethereumChainId: chainId, ethereumFinalityDepth: 0, signInChainIds };
    return Object.assign(Object.create(Config.prototype) as Config, this, network);
  }

  get isProduction(): boolean {
    return this.nodeEnv === 'production';
  }
}
