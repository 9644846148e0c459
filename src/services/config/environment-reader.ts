import ipaddr from 'ipaddr.js';
import { hash, X509Certificate } from 'node:crypto';
import { Resolver } from 'node:dns';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../kernel/management-role.js';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AwsCredentialSettings } from '../crypto/providers/aws-credentials.js';
import type { AwsKmsSettings } from '../crypto/providers/aws-kms.js';
import { PROVIDERS, type ProviderName } from '../crypto/key-provider.js';
import { Keyring, KeyringRefused } from '../crypto/keyring.js';
import { type OpenTelemetrySettings, PROTOCOLS, SAMPLERS } from './open-telemetry-settings.js';
import {
  caip2Of,
  type EvmNetwork,
  hasTwice,
  isHttpUrl,
  type Network,
  networksIn,
  type SolanaNetwork,
  STANDARD_TRANSACTION_FEE,
  STANDARDS,
  unitsOf,
} from './networks.js';

export interface TwilioSettings {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
  readonly url: string;
}

export interface ConsoleOidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly isPrivate: boolean;
  readonly maxAgeSeconds: number | null;
  readonly acrValues: readonly string[];
  /** Sessions end when this hash changes: of the issuer, the client, the roles and the required proof. */
  readonly registration: string;
  readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: ManagementRole }[];
}

export interface VaultSettings {
  readonly url: string;
  readonly key: string;
  readonly auth: { readonly token: string } | { readonly roleId: string; readonly secretId: string };
  readonly namespace: string | undefined;
  readonly ca: string | undefined;
}

export interface Pkcs11Settings {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  /** AES keys in the token. The first wraps, all open. */
  readonly keys: readonly string[];
}

export interface KeyProviderSettings {
  /** Absent while values are moved back to the master keys. */
  readonly current: ProviderName | undefined;
  readonly vault?: VaultSettings;
  readonly awsKms?: AwsKmsSettings;
  readonly pkcs11?: Pkcs11Settings;
}

/** Master keys seal, and the configured providers open earlier values. */
const MASTER_KEYS_PROVIDER = 'master-keys';

const CONTAINER_CREDENTIALS = 'http://169.254.170.2';
const CONTAINER_AGENTS = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** These may be in files. Endpoints of chains and NETWORKS often contain the key of their provider. */
const SECRET_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'CONSOLE_OIDC_CLIENT_SECRET',
  'DATABASE_DIRECT_URL',
  'DATABASE_URL',
  'ETHEREUM_RPC_URL',
  'MANAGEMENT_KEY',
  'MASTER_KEYS',
  'NETWORKS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'PKCS11_PIN',
  'SMS_URL',
  'SMTP_URL',
  'SOLANA_RPC_URL',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'VAULT_ROLE_ID',
  'VAULT_SECRET_ID',
  'VAULT_TOKEN',
];

const MAY_HAVE_LINES: ReadonlySet<string> = new Set(['MASTER_KEYS', 'NETWORKS']);

/** A secret may be in the file that the variable with `_FILE` names. */
export class EnvironmentReader {
  readonly faults: string[] = [];
  private readonly env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.env = { ...env, ...this.secretsInFiles(env) };
  }

  private secretsInFiles(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
    const secrets: Record<string, string> = {};
    for (const name of SECRET_VARIABLES) {
      const path = env[`${name}_FILE`]?.trim();
      if (!path) continue;
      const text = textOf(path);
      if (env[name]?.trim()) this.faults.push(`${name} and ${name}_FILE exclude each other.`);
      // A value with control characters would be quoted by the fault of the call that sends it.
      else if (text && /[\p{Cc}\ufffd]/u.test(MAY_HAVE_LINES.has(name) ? text.replaceAll(/\s/g, '') : text))
        this.faults.push(`${name}_FILE must have text in UTF-8${MAY_HAVE_LINES.has(name) ? '' : ', in one line'}.`);
      else if (text) secrets[name] = text;
      else this.faults.push(`${name}_FILE must be the path of a file with text that can be read.`);
    }
    return secrets;
  }

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

  /** The unit is wei. Decimals are accepted, because fees of rollups are far below 1 gwei. */
  gwei(name: string, standard: string): bigint {
    return this.wei(name, standard, 'gwei', 9);
  }

  private wei(name: string, standard: string, unit: string, decimals: number): bigint {
    const wei = unitsOf(this.text(name) ?? standard, decimals);
    if (wei !== null) return wei;
    this.faults.push(`${name} must be an amount of ${unit} from 0 to 999999, with at most ${decimals} decimals.`);
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

  networksOn(name: string, networks: readonly Network[]): (network: string) => boolean {
    const words = (this.text(name) ?? 'on').split(',').map((word) => word.trim());
    if (words.length === 1 && (words[0] === 'on' || words[0] === 'off')) return () => words[0] === 'on';
    const fault = `${name} must be on, off, or names of networks separated by commas`;
    const unknown = words.filter((word) => !networks.some((network) => network.name === word));
    // A word of another form may be a secret that belongs elsewhere.
    if (!words.every((word) => /^[a-z][a-z0-9_-]{0,31}$/.test(word))) this.faults.push(`${fault}.`);
    else if (unknown.length > 0) this.faults.push(`${fault}; no network has the name ${unknown.join(', ')}.`);
    return (network) => words.includes(network);
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.faults.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
    return undefined;
  }

  private texts(...names: readonly string[]): (string | undefined)[] {
    return names.map((name) => this.text(name));
  }

  urls(name: string): readonly string[] {
    const text = this.text(name);
    if (text === undefined) return [];
    const urls = text.split(',').map((url) => url.trim());
    if (!urls.every(isHttpUrl))
      this.faults.push(`${name} must be URLs that begin with http:// or https://, separated by commas.`);
    else if (hasTwice(urls)) this.faults.push(`${name} must not name a URL twice.`);
    return urls;
  }

  /** `ethereum` and `solana`, each from NETWORKS or from its own variables, then the rest of NETWORKS. */
  networks(): readonly Network[] {
    const [ethereum, solana] = [this.ethereum(), this.solana()];
    const text = this.text('NETWORKS');
    if (text === undefined) return [ethereum, solana];
    const setNames = (names: readonly string[]): string[] => names.filter((name) => this.text(name) !== undefined);
    const { networks, faults } = networksIn(text, {
      ethereum: { variables: setNames(ETHEREUM_VARIABLES), id: caip2Of(ethereum.chainId) },
      solana: { variables: setNames(['SOLANA_RPC_URL']), id: null },
    });
    this.faults.push(...faults);
    const standards = [ethereum, solana].map(
      (standard) => networks.find(({ name }) => name === standard.name) ?? standard,
    );
    return [...standards, ...networks.filter((network) => !standards.includes(network))];
  }

  private ethereum(): EvmNetwork {
    const { symbol, minTip, maxFeePerGas, maxTip } = STANDARDS.ethereum;
    const depth = this.integer('ETHEREUM_FINALITY_DEPTH', 0, 0, 100_000);
    const network = {
      name: 'ethereum',
      kind: 'ethereum',
      rpc: this.urls('ETHEREUM_RPC_URL'),
      chainId: this.integer('ETHEREUM_CHAIN_ID', 1, 1, Number.MAX_SAFE_INTEGER),
      finality: this.text('ETHEREUM_FINALITY_DEPTH') === undefined ? 'finalized' : depth,
      maxFeePerGas: this.gwei('ETHEREUM_MAX_FEE_PER_GAS', maxFeePerGas),
      maxTip: this.gwei('ETHEREUM_MAX_TIP', maxTip),
      minTip: this.gwei('ETHEREUM_MIN_TIP', minTip),
      maxL1Fee: 0n,
      maxTransactionFee: this.wei('ETHEREUM_MAX_TRANSACTION_FEE', STANDARD_TRANSACTION_FEE, 'ether', 18),
      symbol,
      decimals: 18,
      explorer: null,
    } as const;
    if (this.text('ETHEREUM_MIN_TIP') !== undefined && network.minTip > network.maxTip)
      this.faults.push('ETHEREUM_MIN_TIP must not be above ETHEREUM_MAX_TIP.');
    return network;
  }

  private solana(): SolanaNetwork {
    const rpc = this.urls('SOLANA_RPC_URL');
    return { name: 'solana', kind: 'solana', id: null, rpc, symbol: 'SOL', decimals: 9, explorer: null };
  }

  /** `Resolver.setServers` of node:dns reads the same form. */
  nameServers(name: string): readonly string[] {
    const servers = (this.text(name) ?? '').split(',').flatMap((text) => text.trim() || []);
    try {
      new Resolver().setServers(servers);
    } catch {
      this.faults.push(`${name} must be IP addresses, with or without :port, separated by commas.`);
    }
    return servers;
  }

  /** The driver decodes user, password and database, so the percent-encoding must be valid. */
  databaseUrl(name: string): string | undefined {
    // libpq accepts a list of hosts; `pg` does not.
    if (/^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?:[/?#]|$)/.test(this.text(name) ?? '')) {
      this.faults.push(
        `${name} names several hosts, but the driver connects to one. Name a proxy, a virtual address or a DNS name that leads to the primary.`,
      );
      return undefined;
    }
    const text = this.url(name, ['postgres:', 'postgresql:']);
    try {
      if (text !== undefined) decodeURIComponent(text);
    } catch {
      this.faults.push(`${name} has a % that does not begin a percent-encoding.`);
    }
    return text;
  }

  baseUrl(name: string): string | undefined {
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const { username, password } = new URL(text);
    if (/[?#]/.test(text) || username !== '' || password !== '')
      this.faults.push(`${name} must not have credentials, a query or a fragment.`);
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

  /** Secrets are sent to it: in production it must be https or lead to this machine. */
  private secretUrl(name: string): string | undefined {
    const text = this.baseUrl(name);
    const isSafe = text === undefined || text.startsWith('https:') || isLoopback(new URL(text).hostname);
    if (!isSafe && this.text('NODE_ENV') === 'production')
      this.faults.push(`${name} must begin with https:// when NODE_ENV is production, because secrets are sent to it.`);
    return text;
  }

  /** Providers other than the current one only open values that were sealed by them. */
  keyProviders(): KeyProviderSettings | undefined {
    const name = this.text('KEY_PROVIDER');
    if (name === undefined) return undefined;
    const current = PROVIDERS.find((each) => each === name);
    if (!current && name !== MASTER_KEYS_PROVIDER) {
      this.faults.push(`KEY_PROVIDER must be one of ${[...PROVIDERS, MASTER_KEYS_PROVIDER].join(', ')}.`);
      return undefined;
    }
    const vault = this.vaultTransit(current === 'vault');
    const awsKms = this.awsKms(current === 'aws-kms');
    const pkcs11 = this.pkcs11(current === 'pkcs11');
    return { current, ...(vault && { vault }), ...(awsKms && { awsKms }), ...(pkcs11 && { pkcs11 }) };
  }

  private awsKms(isRequired: boolean): AwsKmsSettings | undefined {
    const [keyId, region = this.text('AWS_DEFAULT_REGION')] = this.texts('AWS_KMS_KEY_ID', 'AWS_REGION');
    if (!isRequired && keyId === undefined) return undefined;
    if (keyId === undefined || region === undefined || !/^[a-z0-9-]+$/.test(region)) {
      this.faults.push('KEY_PROVIDER aws-kms needs AWS_KMS_KEY_ID and AWS_REGION.');
      return undefined;
    }
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const url = this.secretUrl('AWS_ENDPOINT_URL_KMS') ?? `https://kms.${region}.${domain}`;
    return { keyId, region, url: `${url}/`, credentials: this.awsCredentials(region, domain) };
  }

  private awsCredentials(region: string, domain: string): AwsCredentialSettings {
    const [accessKeyId, secretAccessKey, sessionToken] = this.texts(
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
    );
    const [tokenFile, roleArn] = this.texts('AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN');
    const path = this.text('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
    if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
      this.faults.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.');
    if ((tokenFile === undefined) !== (roleArn === undefined) && accessKeyId === undefined)
      this.faults.push('AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN must be set together.');
    const containerUrl = path === undefined ? this.containerUrl() : `${CONTAINER_CREDENTIALS}${path}`;
    if (path !== undefined && !/^\/[\w./-]*$/.test(path))
      this.faults.push('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path.');
    const stsUrl = `${this.secretUrl('AWS_ENDPOINT_URL_STS') ?? `https://sts.${region}.${domain}`}/`;
    return {
      fixed: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined,
      webIdentity: tokenFile && roleArn ? { tokenFile, roleArn, stsUrl } : undefined,
      container:
        containerUrl === undefined
          ? undefined
          : {
              url: containerUrl,
              token: this.text('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
              tokenFile: this.text('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
            },
      metadataUrl: this.baseUrl('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? 'http://169.254.169.254',
    };
  }

  /** The SDKs allow plain HTTP to the agents of ECS and EKS and to this machine only. */
  private containerUrl(): string | undefined {
    const name = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const { protocol, hostname } = new URL(text);
    if (protocol !== 'https:' && !isLoopback(hostname) && !CONTAINER_AGENTS.includes(hostname))
      this.faults.push(`${name} must begin with https://, or lead to this machine or to the agent of ECS or EKS.`);
    return text;
  }

  private vaultTransit(isRequired: boolean): VaultSettings | undefined {
    const url = this.secretUrl('VAULT_ADDR');
    const key = this.matching(
      'VAULT_TRANSIT_KEY',
      /^([\w-]+\/)*[\w.-]+$/,
      'the name of a key, after its mount if that is not transit',
    );
    const [token, roleId, secretId] = this.texts('VAULT_TOKEN', 'VAULT_ROLE_ID', 'VAULT_SECRET_ID');
    const [namespace, caFile] = this.texts('VAULT_NAMESPACE', 'VAULT_CACERT');
    if (!isRequired && key === undefined) return undefined;
    const hasRole = roleId !== undefined && secretId !== undefined;
    if (url === undefined || key === undefined || (token !== undefined) === hasRole) {
      this.faults.push(
        'KEY_PROVIDER vault needs VAULT_ADDR, VAULT_TRANSIT_KEY, and either VAULT_TOKEN or both VAULT_ROLE_ID and VAULT_SECRET_ID.',
      );
      return undefined;
    }
    return {
      url,
      key,
      auth: hasRole ? { roleId, secretId } : { token: token! },
      namespace,
      ca: caFile === undefined ? undefined : this.certificates('VAULT_CACERT', caFile),
    };
  }

  private pkcs11(isRequired: boolean): Pkcs11Settings | undefined {
    const names = ['PKCS11_MODULE', 'PKCS11_TOKEN', 'PKCS11_PIN', 'PKCS11_KEY'];
    const [module, token, pin, keys] = this.texts(...names);
    if (!isRequired && module === undefined) return undefined;
    if (module === undefined || token === undefined || pin === undefined || keys === undefined) {
      this.faults.push(`KEY_PROVIDER pkcs11 needs ${listed(names)}.`);
      return undefined;
    }
    if (!existsSync(module)) this.faults.push('PKCS11_MODULE must be the path of a PKCS#11 module.');
    if (!hasPkcs11Package())
      this.faults.push(
        'KEY_PROVIDER pkcs11 needs the package pkcs11js, which npm builds if Python and a C++ compiler are present.',
      );
    return { module, token, pin, keys: keys.split(',').map((label) => label.trim()) };
  }

  private certificates(name: string, path: string): string | undefined {
    try {
      const text = readFileSync(path, 'utf8');
      const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
      const certificates = found.map((certificate) => new X509Certificate(certificate));
      if (certificates.length > 0) return text;
    } catch {
      // The fault is the same for a file that cannot be read and for one with something else.
    }
    this.faults.push(`${name} must be the path of a file with one or more certificates in PEM that can be read.`);
    return undefined;
  }

  date(name: string, standard: string): Date {
    const text = this.text(name) ?? standard;
    const date = new Date(`${text}T00:00:00Z`);
    // `Date` turns a day that the month does not have into one of the next month.
    if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${text}T`)) return date;
    this.faults.push(`${name} must be a date such as ${standard}.`);
    return new Date(standard);
  }

  claim(name: string): string | undefined {
    const text = this.text(name);
    // The session would replace a claim that verifiers check.
    if (text !== undefined && REGISTERED_CLAIMS.has(text)) this.faults.push(`${name} must not be a registered claim.`);
    return text;
  }

  matching(name: string, pattern: RegExp, description: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || pattern.test(text)) return text;
    this.faults.push(`${name} must be ${description}.`);
    return undefined;
  }

  /** `address` or `Name <address>`. Each app has its own name, so it is dropped. */
  mailbox(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const address = /^[^<>]*<([^<>]+)>$/.exec(text)?.[1]?.trim() ?? text;
    if (/^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/.test(address)) return address;
    this.faults.push(`${name} must be an e-mail address.`);
    return undefined;
  }

  twilio(): TwilioSettings | undefined {
    const names = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'];
    const [accountSid, authToken, from] = this.texts(...names);
    const url = this.url('TWILIO_URL', ['https:', 'http:']) ?? 'https://api.twilio.com';
    if (accountSid && authToken && from) return { accountSid, authToken, from, url };
    if (accountSid || authToken || from) this.faults.push(`${listed(names)} must be set together.`);
    return undefined;
  }

  consoleOidc(): ConsoleOidcSettings | undefined {
    const names = ['CONSOLE_OIDC_ISSUER', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET', 'CONSOLE_OIDC_ROLES'];
    const [, clientId, clientSecret, rules] = this.texts(...names);
    const issuer = this.baseUrl('CONSOLE_OIDC_ISSUER');
    const scopes = (this.text('CONSOLE_OIDC_SCOPES') ?? 'openid email profile').split(/\s+/);
    const isPrivate = this.flag('CONSOLE_OIDC_PRIVATE_ISSUER', false);
    if (!scopes.includes('openid'))
      this.faults.push('CONSOLE_OIDC_SCOPES must name openid, and other scopes behind spaces.');
    // A value may have commas: names of LDAP groups do.
    const roles = (rules?.split(/(?<=:(?:owner|operator|support|auditor)\s*),/) ?? []).map((rule) => {
      const [, claim, value, role] = /^\s*([^=\s]+)=(.+):([a-z]+)\s*$/.exec(rule) ?? [];
      return { claim: claim ?? '', value: value ?? '', role: MANAGEMENT_ROLES.find((each) => each === role) };
    });
    const known = roles.flatMap(({ claim, value, role }) => (role ? [{ claim, value, role }] : []));
    if (known.length < roles.length)
      this.faults.push(
        `CONSOLE_OIDC_ROLES must be claim=value:role, separated by commas, with the roles ${MANAGEMENT_ROLES.join(', ')}.`,
      );
    const maxAge = 'CONSOLE_OIDC_MAX_AGE';
    const maxAgeSeconds = this.text(maxAge) === undefined ? null : this.integer(maxAge, 0, 60, 86_400);
    const acrValues = this.text('CONSOLE_OIDC_ACR')?.split(/\s+/) ?? [];
    if (issuer && clientId && clientSecret && rules) {
      const proof = maxAgeSeconds === null && acrValues.length === 0 ? [] : [maxAgeSeconds, acrValues];
      const registration = hash('sha256', JSON.stringify([issuer, clientId, known, ...proof]));
      const client = { issuer, clientId, clientSecret, scopes, isPrivate };
      return { ...client, maxAgeSeconds, acrValues, roles: known, registration };
    }
    if (this.texts(...names).some((text) => text !== undefined))
      this.faults.push(`${listed(names)} must be set together.`);
    return undefined;
  }

  openTelemetry(): OpenTelemetrySettings | undefined {
    const ofTraces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    const base = this.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])?.replace(/\/+$/, '');
    const exporter = this.oneOf<'otlp' | 'none'>('OTEL_TRACES_EXPORTER', ['otlp', 'none'], base ? 'otlp' : 'none');
    const own = this.url(ofTraces, ['http:', 'https:']);
    const isAsked = exporter === 'otlp' || (own !== undefined && this.text('OTEL_TRACES_EXPORTER') === undefined);
    const settings = {
      url: own ?? `${base ?? 'http://localhost:4318'}/v1/traces`,
      protocol: this.oneOf(
        this.firstSet('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'),
        PROTOCOLS,
        'http/protobuf',
      ),
      headers: this.pairs(this.firstSet('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS')),
      timeoutMs: this.integer(
        this.firstSet('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
        10_000,
        1,
        60_000,
      ),
      resource: {
        ...this.pairs('OTEL_RESOURCE_ATTRIBUTES'),
        'service.name':
          this.text('OTEL_SERVICE_NAME') ??
          this.pairs('OTEL_RESOURCE_ATTRIBUTES')['service.name'] ??
          'identity-and-wallets',
      },
      sampler: this.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
      ratio: this.ratio('OTEL_TRACES_SAMPLER_ARG'),
    };
    return isAsked && !this.flag('OTEL_SDK_DISABLED', false) ? settings : undefined;
  }

  private firstSet(...names: readonly string[]): string {
    return names.find((name) => this.text(name) !== undefined) ?? names.at(-1)!;
  }

  /** `name=value,…`, percent-encoded. */
  private pairs(name: string): Record<string, string> {
    try {
      return Object.fromEntries(
        (this.text(name)?.split(',') ?? []).map((pair) => {
          const [, key, value] = /^\s*([\w.-]+)\s*=(.*)$/.exec(pair)!;
          return [key!, decodeURIComponent(value!.trim())];
        }),
      );
    } catch {
      this.faults.push(`${name} must be name=value, separated by commas and percent-encoded.`);
      return {};
    }
  }

  private ratio(name: string): number {
    const value = Number(this.text(name) ?? 1);
    if (value >= 0 && value <= 1) return value;
    this.faults.push(`${name} must be a number from 0 to 1.`);
    return 1;
  }

  trustProxy(name: string): number | string | false {
    const text = this.text(name);
    if (text === undefined || text === 'false') return false;
    if (/^\d{1,2}$/.test(text)) return Number(text);
    // `true` would trust every X-Forwarded-For that a client sends.
    if (text.split(',').every((part) => isProxy(part.trim()))) return text;
    this.faults.push(`${name} must be a number of proxies or a list of their addresses.`);
    return false;
  }
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const ETHEREUM_VARIABLES = [
  'ETHEREUM_RPC_URL',
  'ETHEREUM_CHAIN_ID',
  'ETHEREUM_FINALITY_DEPTH',
  'ETHEREUM_MAX_FEE_PER_GAS',
  'ETHEREUM_MAX_TIP',
  'ETHEREUM_MAX_TRANSACTION_FEE',
  'ETHEREUM_MIN_TIP',
];

/** RFC 7519. A session JWT has them, or a verifier would read them as something else. */
const REGISTERED_CLAIMS: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

function isProxy(text: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Only the process that uses the add-on loads it. */
function hasPkcs11Package(): boolean {
  try {
    createRequire(import.meta.url).resolve('pkcs11js/build/Release/pkcs11.node');
    return true;
  } catch {
    return false;
  }
}
