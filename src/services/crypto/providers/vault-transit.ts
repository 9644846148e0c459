import type { Agent } from 'node:http';
import { SealBroken } from '../../../kernel/vault.js';
import type { VaultSettings } from '../../config/vault.js';
import {
  isRefusal,
  type KeyPlace,
  type KeyProvider,
  KeyRefused,
  ProviderFailed,
  type ProviderFault,
  type Wrapped,
} from '../key-provider.js';
import { callWithSecret, jsonWithSecret, type SecretAnswer, secretAgent, takeSecret } from './secret-http.js';

const RETRY_SECONDS = 10;
const JITTER = 0.25;
const LOGIN_MS = 2_000;
/** The longest timer of Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The transit key needs `derived=true`: owner and generation derive the key that encrypts, and are the associated data. */
export class VaultTransit implements KeyProvider {
  readonly name = 'vault';
  private readonly agent: Agent;
  private readonly key: string;
  private token: string | undefined;
  private loggedInAt = -Infinity;
  private login: Promise<string> | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: VaultSettings,
    /** A newer token is not replaced: then a permission is missing, and each call would log in. */
    private readonly minTokenAgeMs = 10_000,
  ) {
    this.agent = secretAgent(settings.url, settings.ca);
    this.key = settings.key.includes('/') ? settings.key : `transit/${settings.key}`;
  }

  async wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    const body = (): Buffer => jsonWithSecret(bindingOf(place), 'plaintext', key);
    return this.wrappedIn(await this.authorized(pathOf(this.key, 'encrypt'), signal, body));
  }

  async unwrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const { key, ciphertext } = opened(wrapped);
    const body = (): Buffer => jsonOf({ ciphertext, ...bindingOf(place) });
    return takeSecret(await this.authorized(pathOf(key, 'decrypt'), signal, body), 'plaintext');
  }

  /** `rewrap` of Vault takes no associated data in most releases, and never another key: then the key is opened and wrapped again. */
  async rewrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    const { key: name, ciphertext } = opened(wrapped);
    if (name === this.key) {
      const body = (): Buffer => jsonOf({ ciphertext, ...bindingOf(place) });
      try {
        return this.wrappedIn(await this.authorized(pathOf(name, 'rewrap'), signal, body));
      } catch (error) {
        if (!(error instanceof SealBroken || error instanceof KeyRefused)) throw error;
      }
    }
    const key = await this.unwrap(wrapped, place, signal);
    try {
      return await this.wrap(key, place, signal);
    } finally {
      key.fill(0);
    }
  }

  async health(signal: AbortSignal): Promise<void> {
    const place = { owner: 'service', generation: 0 } as const;
    (await this.unwrap(await this.wrap(Buffer.alloc(32), place, signal), place, signal)).fill(0);
  }

  close(): void {
    clearTimeout(this.renewal);
    this.agent.destroy();
  }

  private wrappedIn(body: Buffer): Wrapped {
    const { data } = JSON.parse(body.toString()) as { data?: { ciphertext?: unknown } };
    const text = data?.ciphertext;
    const [, version] = typeof text === 'string' ? (CIPHERTEXT.exec(text) ?? []) : [];
    if (version === undefined) throw new ProviderFailed('failed', 'The response of Vault has no ciphertext.');
    return { wrappedKey: Buffer.from(text as string, 'latin1'), keyRef: `${this.key}:${version}` };
  }

  private async authorized(path: string, signal: AbortSignal, body: () => Buffer): Promise<Buffer> {
    const token = await this.currentToken(signal);
    let answer = await this.call(path, signal, token, body());
    // A token that was revoked or has expired is refused like a missing permission.
    const isReplaced = this.token !== token;
    const isNew = performance.now() - this.loggedInAt < this.minTokenAgeMs;
    if (answer.status === 403 && 'roleId' in this.settings.auth && (isReplaced || !isNew)) {
      if (this.token === token) this.token = undefined;
      answer = await this.call(path, signal, await this.currentToken(signal), body());
    }
    return succeeded(answer);
  }

  private call(path: string, signal: AbortSignal, token: string | undefined, body: Buffer): Promise<SecretAnswer> {
    const { url, namespace } = this.settings;
    const headers = {
      'content-type': 'application/json',
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
    };
    return callWithSecret({ url: `${url}/v1/${path}`, headers, body, agent: this.agent, signal });
  }

  /** Simultaneous calls share one login, which has a bound of its own: it must not end with the call that began it. */
  private async currentToken(signal: AbortSignal): Promise<string> {
    if (this.token !== undefined) return this.token;
    const { auth } = this.settings;
    if ('token' in auth) {
      this.token = auth.token;
      // Asks for the lease too. A token without one, such as a root token, refuses.
      this.scheduleRenewal(0);
      return this.token;
    }
    this.login ??= this.loggedIn(auth).finally(() => (this.login = undefined));
    return Promise.race([this.login, aborted(signal)]);
  }

  private async loggedIn(auth: { readonly roleId: string; readonly secretId: string }): Promise<string> {
    const body = jsonOf({ role_id: auth.roleId, secret_id: auth.secretId });
    const signal = AbortSignal.timeout(LOGIN_MS);
    const answer = await this.call('auth/approle/login', signal, undefined, body);
    // Vault refuses the service, and not the key of one app.
    if (isRefusal(answer.status)) throw new ProviderFailed('denied', `Vault answered a login with ${answer.status}.`);
    const lease = leaseIn(succeeded(answer));
    if (lease.token === undefined) throw new ProviderFailed('failed', 'Vault answered a login without a token.');
    this.token = lease.token;
    this.loggedInAt = performance.now();
    if (lease.isRenewable) this.scheduleRenewal(lease.seconds);
    return this.token;
  }

  private scheduleRenewal(leaseSeconds: number): void {
    clearTimeout(this.renewal);
    // Replicas that started together must not renew at the same time.
    const waitMs = Math.min(((leaseSeconds * 1_000) / 2) * (1 - JITTER * Math.random()), LONGEST_TIMER_MS);
    this.renewal = setTimeout(() => void this.renew(), waitMs).unref();
  }

  /** A token that cannot be renewed is used until it is refused. After each other failure the renewal is tried again. */
  private async renew(): Promise<void> {
    const { token } = this;
    if (token === undefined) return;
    try {
      const signal = AbortSignal.timeout(2_000);
      const lease = leaseIn(succeeded(await this.call('auth/token/renew-self', signal, token, jsonOf({}))));
      if (lease.isRenewable && lease.seconds > 0) this.scheduleRenewal(lease.seconds);
    } catch (error) {
      if (!(error instanceof KeyRefused)) this.scheduleRenewal(2 * RETRY_SECONDS);
    }
  }
}

/** Both are base64: Vault derives the key from the context and authenticates the associated data. */
function bindingOf({ owner, generation }: KeyPlace): { readonly context: string; readonly associated_data: string } {
  const place = Buffer.from(`app_id=${owner};generation=${generation}`).toString('base64');
  return { context: place, associated_data: place };
}

function jsonOf(members: object): Buffer {
  return Buffer.from(JSON.stringify(members));
}

const CIPHERTEXT = /^vault:(v\d{1,9}):((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const KEY_REF = /^((?:[\w-]+\/)+\w[\w.-]*):(v\d{1,9})$/;
const FEWEST_BYTES = 12 + 32 + 16;
const MOST_BYTES = 256;

/** Refuses what Vault cannot have made, so that an altered row costs no call. */
function opened({ wrappedKey, keyRef }: Wrapped): { readonly key: string; readonly ciphertext: string } {
  const [, key, version] = KEY_REF.exec(keyRef) ?? [];
  const ciphertext = wrappedKey.toString('latin1', 0, 2 * MOST_BYTES);
  const [, madeBy, encoded = ''] = CIPHERTEXT.exec(ciphertext) ?? [];
  const bytes = Buffer.byteLength(encoded, 'base64');
  if (!key || version !== madeBy || bytes < FEWEST_BYTES || bytes > MOST_BYTES)
    throw new SealBroken('The wrapped key has not the form in which Vault made it.');
  return { key, ciphertext };
}

function pathOf(key: string, operation: string): string {
  const name = key.lastIndexOf('/') + 1;
  return `${key.slice(0, name)}${operation}/${key.slice(name)}`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function leaseIn(body: Buffer): {
  readonly token: string | undefined;
  readonly seconds: number;
  readonly isRenewable: boolean;
} {
  const { auth } = JSON.parse(body.toString()) as {
    auth?: { client_token?: string; lease_duration?: number; renewable?: boolean } | null;
  };
  return { token: auth?.client_token, seconds: auth?.lease_duration ?? 0, isRenewable: auth?.renewable === true };
}

/** Vault's message for altered bytes or another context. Each other error is a failure of the provider. */
const ALTERED = /message authentication failed/i;

function succeeded({ status, body }: SecretAnswer): Buffer {
  if (status >= 200 && status < 300) return body;
  const text = body.toString();
  if (status === 400 && ALTERED.test(text)) throw new SealBroken('The key provider refuses the wrapped key.');
  const fault: ProviderFault = status === 429 ? 'throttled' : isRefusal(status) ? 'denied' : 'failed';
  throw new (isRefusal(status) ? KeyRefused : ProviderFailed)(fault, `Vault answered ${status}.`);
}
