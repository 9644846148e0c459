import http from 'node:http';
import https from 'node:https';
import { SealBroken } from '../../../kernel/vault.js';
import type { VaultSettings } from '../../config/environment-reader.js';
import { type KeyPlace, type KeyProvider, ProviderFailed, type ProviderFault } from '../key-provider.js';
import { callWithSecret, jsonWithSecret, type SecretAnswer, takeSecret } from './secret-http.js';

/** When a renewal is tried again after an outage. */
const RETRY_SECONDS = 10;
/** A timer of Node takes no longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The transit engine of HashiCorp Vault or OpenBao. The transit key must be made with `derived=true`: then owner and generation derive the
 * key that encrypts, and are the associated data as well. By AppRole the service logs in at its first call, and again when its token is
 * refused; a token is renewed when half of its lease is over.
 */
export class VaultTransit implements KeyProvider {
  readonly name = 'vault';
  private readonly agent: http.Agent;
  private readonly path: (operation: string) => string;
  private token: string | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(private readonly settings: VaultSettings) {
    const options = { keepAlive: true, timeout: 5_000, maxSockets: 32 };
    this.agent = settings.url.startsWith('https:')
      ? new https.Agent({ ...options, ...(settings.ca && { ca: settings.ca }) })
      : new http.Agent(options);
    const [key, ...mount] = settings.key.split('/').toReversed();
    this.path = (operation) => `${mount.toReversed().join('/') || 'transit'}/${operation}/${key}`;
  }

  async wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const body = (): Buffer => jsonWithSecret(bindingOf(place), 'plaintext', key);
    return ciphertextIn(await this.authorized(this.path('encrypt'), signal, body));
  }

  async unwrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const body = (): Buffer => jsonOf({ ciphertext: wrapped.toString('latin1'), ...bindingOf(place) });
    return takeSecret(await this.authorized(this.path('decrypt'), signal, body), 'plaintext');
  }

  /** Most releases have a `rewrap` that takes no associated data, and refuse: then the key is opened and wrapped again. */
  async rewrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const body = (): Buffer => jsonOf({ ciphertext: wrapped.toString('latin1'), ...bindingOf(place) });
    try {
      return ciphertextIn(await this.authorized(this.path('rewrap'), signal, body));
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
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

  /** The body of a successful response. */
  private async authorized(path: string, signal: AbortSignal, body: () => Buffer): Promise<Buffer> {
    let answer = await this.call(path, signal, await this.currentToken(signal), body());
    // A token that was revoked or has expired is refused like a missing permission.
    if (answer.status === 403 && 'roleId' in this.settings.auth) {
      this.token = undefined;
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

  private async currentToken(signal: AbortSignal): Promise<string> {
    if (this.token !== undefined) return this.token;
    const { auth } = this.settings;
    if ('token' in auth) {
      this.token = auth.token;
      // Asks for the lease too. A token without one, such as a root token, refuses.
      this.scheduleRenewal(0);
      return this.token;
    }
    const login = jsonOf({ role_id: auth.roleId, secret_id: auth.secretId });
    const lease = leaseIn(succeeded(await this.call('auth/approle/login', signal, undefined, login)));
    if (lease.token === undefined) throw new ProviderFailed('failed', 'Vault answered a login without a token.');
    this.token = lease.token;
    if (lease.isRenewable) this.scheduleRenewal(lease.seconds);
    return this.token;
  }

  private scheduleRenewal(leaseSeconds: number): void {
    clearTimeout(this.renewal);
    const waitMs = Math.min((leaseSeconds * 1_000) / 2, LONGEST_TIMER_MS);
    this.renewal = setTimeout(() => void this.renew(), waitMs).unref();
  }

  /** A token that cannot be renewed is used until it is refused. */
  private async renew(): Promise<void> {
    const { token } = this;
    if (token === undefined) return;
    try {
      const signal = AbortSignal.timeout(2_000);
      const lease = leaseIn(succeeded(await this.call('auth/token/renew-self', signal, token, jsonOf({}))));
      if (lease.isRenewable && lease.seconds > 0) this.scheduleRenewal(lease.seconds);
    } catch (error) {
      const isOutage = error instanceof ProviderFailed && error.fault !== 'denied';
      if (isOutage) this.scheduleRenewal(2 * RETRY_SECONDS);
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

function ciphertextIn(body: Buffer): Buffer {
  const { data } = JSON.parse(body.toString()) as { data?: { ciphertext?: unknown } };
  const text = data?.ciphertext;
  if (typeof text !== 'string' || !/^vault:v\d+:[A-Za-z0-9+/=]+$/.test(text))
    throw new ProviderFailed('failed', 'The response of Vault has no ciphertext.');
  return Buffer.from(text, 'latin1');
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

/** How Vault says that a ciphertext is not one that it has made for this context. Each other error is a failure. */
const ALTERED = /message authentication failed|invalid ciphertext|could not decode/i;

function succeeded({ status, body }: SecretAnswer): Buffer {
  if (status >= 200 && status < 300) return body;
  const text = body.toString();
  if (status === 400 && ALTERED.test(text)) throw new SealBroken('The key provider refuses the wrapped key.');
  const fault: ProviderFault = status === 403 ? 'denied' : status === 429 ? 'throttled' : 'failed';
  throw new ProviderFailed(fault, `Vault answered ${status}.`);
}
