import ipaddr from 'ipaddr.js';
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';

export function isLoopback(hostname: string): boolean {
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

  texts(...names: readonly string[]): (string | undefined)[] {
    return names.map((name) => this.text(name));
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

  /** Secrets are sent to it: in production it must be https or lead to this machine. */
  secretUrl(name: string): string | undefined {
    const text = this.baseUrl(name);
    const isSafe = text === undefined || text.startsWith('https:') || isLoopback(new URL(text).hostname);
    if (!isSafe && this.text('NODE_ENV') === 'production')
      this.faults.push(`${name} must begin with https:// when NODE_ENV is production, because secrets are sent to it.`);
    return text;
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

export function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

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
