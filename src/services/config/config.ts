import ipaddr from 'ipaddr.js';
import { Resolver } from 'node:dns';
import { isAbsolute, resolve } from 'node:path';
import { Keyring, KeyringRefused } from '../crypto/keyring.js';

export type NodeEnv = 'production' | 'development' | 'test';
export type Role = 'all' | 'api' | 'worker';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Every fault of the environment, named together. Values are never part of the message. */
export class ConfigurationRefused extends Error {
  override readonly name = 'ConfigurationRefused';
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  - ${faults.join('\n  - ')}`,
    );
  }
}

/** The service's settings, read once from the environment. The only place that does so. */
export class Config {
  readonly nodeEnv: NodeEnv;
  readonly port: number;
  readonly host: string;
  /** What the outside sees, without a trailing slash. */
  readonly baseUrl: string;
  /** Absent: an embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly dataDir: string;
  readonly managementKey: string | undefined;
  /** `id:base64,…`, the first is current. Absent outside production: made once and kept in `dataDir`. */
  readonly masterKeys: string | undefined;
  readonly allowPrivateNetworks: boolean;
  /** Name servers for outbound calls; empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Express's `trust proxy`: how many proxies, or which addresses, may set X-Forwarded-For. */
  readonly trustProxy: number | string | false;
  /** Calls a second without a secret key, per client network. */
  readonly publicRate: number;
  readonly sessionClaim: string;
  /** Absent outside production: mails become files in `dataDir`. */
  readonly smtpUrl: string | undefined;
  /** The bare address mails come from, where an app has none of its own. */
  readonly mailFrom: string;
  /** Where every SMS is POSTed to as JSON. Absent, as are Twilio's settings, outside production: SMS become files. */
  readonly smsUrl: string | undefined;
  readonly twilio: TwilioSettings | undefined;
  /** The endpoints of the service's Ethereum; empty: no money moves on it. */
  readonly ethereumRpcUrls: readonly string[];
  readonly ethereumChainId: number;
  /** How many blocks on top make a block final. Absent: the node's `finalized` tag. */
  readonly ethereumFinalityDepth: number | undefined;
  /** The most the service ever signs as `maxFeePerGas`, and of it as `maxPriorityFeePerGas`, whatever a node asks for. */
  readonly ethereumMaxFeePerGasWei: bigint;
  readonly ethereumMaxTipWei: bigint;
  readonly solanaRpcUrls: readonly string[];
  /** The most one Solana transfer may pay in fees; rent of accounts it creates is not a fee. */
  readonly solanaMaxFeeLamports: bigint;
  /** How long confirming a transfer waits for the chain. */
  readonly transferConfirmWaitSeconds: number;
  /** After how long without being mined an Ethereum transfer is signed anew with higher fees. */
  readonly transferBumpAfterSeconds: number;
  /** After how long without being mined a transfer is reported as stuck. */
  readonly transferStuckAfterSeconds: number;
  readonly role: Role;
  readonly logLevel: LogLevel;

  private constructor(env: Readonly<Record<string, string | undefined>>) {
    const read = new Reader(env);
    this.nodeEnv = read.oneOf('NODE_ENV', ['production', 'development', 'test'], 'development');
    this.port = read.integer('PORT', 3000, 0, 65_535);
    this.host = read.text('HOST') ?? '127.0.0.1';
    this.baseUrl = read.baseUrl('BASE_URL') ?? `http://localhost:${this.port}`;
    this.databaseUrl = read.databaseUrl('DATABASE_URL');
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 200);
    const dataDir = read.text('DATA_DIR') ?? './data';
    this.dataDir = isAbsolute(dataDir) ? dataDir : resolve(dataDir);
    this.managementKey = read.matching(
      'MANAGEMENT_KEY',
      /^mk_[A-Za-z0-9]{32,128}$/,
      'mk_ and 32 to 128 letters or digits',
    );
    this.masterKeys = read.masterKeys('MASTER_KEYS');
    this.allowPrivateNetworks = read.flag('ALLOW_PRIVATE_NETWORKS', !this.isProduction);
    this.dnsServers = read.nameServers('DNS_SERVERS');
    this.trustProxy = read.trustProxy('TRUST_PROXY');
    this.publicRate = read.integer('PUBLIC_RATE', 100, 1, 1_000_000);
    this.sessionClaim = read.claim('SESSION_CLAIM') ?? `${this.baseUrl}/jwt/session`;
    this.smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
    this.mailFrom = read.mailbox('MAIL_FROM') ?? `no-reply@${new URL(this.baseUrl).hostname}`;
    this.smsUrl = read.url('SMS_URL', ['http:', 'https:']);
    this.twilio = read.twilio();
    if (this.smsUrl && this.twilio) read.faults.push('SMS_URL and TWILIO_ACCOUNT_SID exclude each other.');
    this.ethereumRpcUrls = read.urls('ETHEREUM_RPC_URL', ['http:', 'https:']);
    this.ethereumChainId = read.integer('ETHEREUM_CHAIN_ID', 1, 1, Number.MAX_SAFE_INTEGER);
    this.ethereumFinalityDepth =
      read.text('ETHEREUM_FINALITY_DEPTH') === undefined
        ? undefined
        : read.integer('ETHEREUM_FINALITY_DEPTH', 0, 0, 100_000);
    this.ethereumMaxFeePerGasWei = read.gwei('ETHEREUM_MAX_FEE_PER_GAS', 500);
    this.ethereumMaxTipWei = read.gwei('ETHEREUM_MAX_TIP', 50);
    this.solanaRpcUrls = read.urls('SOLANA_RPC_URL', ['http:', 'https:']);
    this.solanaMaxFeeLamports = BigInt(read.integer('SOLANA_MAX_FEE', 1_000_000, 5_000, 1_000_000_000));
    this.transferConfirmWaitSeconds = read.integer('TRANSFER_CONFIRM_WAIT_SECONDS', 20, 0, 120);
    this.transferBumpAfterSeconds = read.integer('TRANSFER_BUMP_AFTER_SECONDS', 300, 1, 86_400);
    this.transferStuckAfterSeconds = read.integer('TRANSFER_STUCK_AFTER_SECONDS', 1800, 1, 86_400);
    this.role = read.oneOf('ROLE', ['all', 'api', 'worker'], 'all');
    this.logLevel = read.oneOf(
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      this.nodeEnv === 'test' ? 'silent' : 'info',
    );
    if (this.isProduction) {
      for (const name of ['MASTER_KEYS', 'BASE_URL', 'DATABASE_URL']) read.required(name);
      if (this.smtpUrl) read.required('MAIL_FROM');
    }
    if (read.faults.length > 0) throw new ConfigurationRefused(read.faults);
  }

  /** Reads and checks all settings. Throws `ConfigurationRefused` naming every fault. */
  static read(env: Readonly<Record<string, string | undefined>> = process.env): Config {
    return new Config(env);
  }

  get isProduction(): boolean {
    return this.nodeEnv === 'production';
  }
}

export interface TwilioSettings {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number, a name, or a messaging service (MG…). */
  readonly from: string;
  readonly url: string;
}

class Reader {
  readonly faults: string[] = [];
  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  required(name: string): void {
    if (this.text(name) === undefined) this.faults.push(`${name} is required when NODE_ENV is production.`);
  }

  integer(name: string, standard: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return standard;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.faults.push(`${name} must be a whole number from ${min} to ${max}.`);
    return standard;
  }

  /** In wei. Decimals are accepted, since fees of rollups lie far below 1 gwei. */
  gwei(name: string, standard: number): bigint {
    const text = this.text(name) ?? String(standard);
    const [, whole, fraction = ''] = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
    if (whole !== undefined) return BigInt(whole + fraction.padEnd(9, '0'));
    this.faults.push(`${name} must be an amount of gwei from 0 to 999999, with at most 9 decimals.`);
    return 0n;
  }

  flag(name: string, standard: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], String(standard) as 'true' | 'false') === 'true';
  }

  oneOf<T extends string>(name: string, values: readonly T[], standard: T): T {
    const text = this.text(name);
    if (text === undefined) return standard;
    const found = values.find((value) => value === text);
    if (found === undefined) this.faults.push(`${name} must be one of ${values.join(', ')}.`);
    return found ?? standard;
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.faults.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
    return undefined;
  }

  /** One URL, or several separated by commas. */
  urls(name: string, protocols: readonly string[]): readonly string[] {
    const texts = this.text(name)
      ?.split(',')
      .map((text) => text.trim());
    if (texts === undefined) return [];
    const begins = protocols.map((protocol) => `${protocol}//`).join(' or ');
    const isUrl = (text: string): boolean => URL.canParse(text) && protocols.includes(new URL(text).protocol);
    if (!texts.every(isUrl)) this.faults.push(`${name} must be URLs that begin with ${begins}, separated by commas.`);
    else if (new Set(texts.map((text) => new URL(text).href)).size < texts.length)
      this.faults.push(`${name} must not name a URL twice.`);
    return texts;
  }

  /** Addresses as `Resolver.setServers` of node:dns takes them. */
  nameServers(name: string): readonly string[] {
    const servers = (this.text(name) ?? '').split(',').flatMap((text) => text.trim() || []);
    try {
      new Resolver().setServers(servers);
    } catch {
      this.faults.push(`${name} must be IP addresses, with or without :port, separated by commas.`);
    }
    return servers;
  }

  /** A connection string, whose user, password and database the driver takes out of their percent-encoding. */
  databaseUrl(name: string): string | undefined {
    const text = this.url(name, ['postgres:', 'postgresql:']);
    try {
      if (text !== undefined) decodeURIComponent(text);
    } catch {
      this.faults.push(`${name} has a % that begins no percent-encoding.`);
    }
    return text;
  }

  /** What paths are put behind: without a trailing slash, and with nothing that would have to stand behind them. */
  baseUrl(name: string): string | undefined {
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const { username, password } = new URL(text);
    if (/[?#]/.test(text) || username !== '' || password !== '')
      this.faults.push(`${name} must have neither credentials nor query nor fragment.`);
    return text.replace(/\/+$/, '');
  }

  masterKeys(name: string): string | undefined {
    const text = this.text(name);
    try {
      if (text !== undefined) Keyring.parse(text);
    } catch (error) {
      if (!(error instanceof KeyringRefused)) throw error;
      this.faults.push(...error.faults.map((fault) => `${name}: ${fault}`));
    }
    return text;
  }

  claim(name: string): string | undefined {
    const text = this.text(name);
    // The session would take the place of what verifiers check.
    if (text !== undefined && REGISTERED_CLAIMS.has(text)) this.faults.push(`${name} must not be a registered claim.`);
    return text;
  }

  matching(name: string, pattern: RegExp, description: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || pattern.test(text)) return text;
    this.faults.push(`${name} must be ${description}.`);
    return undefined;
  }

  /** The address of `address` or `Name <address>`; the name is each app's own. */
  mailbox(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const address = /^[^<>]*<([^<>]+)>$/.exec(text)?.[1]?.trim() ?? text;
    if (/^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/.test(address)) return address;
    this.faults.push(`${name} must be an e-mail address.`);
    return undefined;
  }

  twilio(): TwilioSettings | undefined {
    const [accountSid, authToken, from] = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'].map((name) =>
      this.text(name),
    );
    const url = this.url('TWILIO_URL', ['https:', 'http:']) ?? 'https://api.twilio.com';
    if (accountSid && authToken && from) return { accountSid, authToken, from, url };
    if (accountSid || authToken || from) {
      this.faults.push('TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM must be set together.');
    }
    return undefined;
  }

  trustProxy(name: string): number | string | false {
    const text = this.text(name);
    if (text === undefined || text === 'false') return false;
    if (/^\d{1,2}$/.test(text)) return Number(text);
    // `true` would believe whatever a client writes into X-Forwarded-For.
    if (text.split(',').every((part) => isProxy(part.trim()))) return text;
    this.faults.push(`${name} must be a number of proxies or a list of their addresses.`);
    return false;
  }
}

/** Claims of RFC 7519 that a session JWT has, or that a verifier would take for something else. */
const REGISTERED_CLAIMS: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

/** An address, a network, or one of Express's names for several. */
function isProxy(text: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}
