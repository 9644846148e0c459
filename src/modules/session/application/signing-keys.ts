import { Injectable } from '@nestjs/common';
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { inTurn } from '../../../kernel/collections.js';
import { KeysUnavailable } from '../../../kernel/errors.js';
import { type AppId, newId, type SigningKeyId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { ServiceKeys } from '../../../kernel/service-keys.js';
import { SharedRuns } from '../../../kernel/shared-runs.js';
import { SealBroken, Vault } from '../../../kernel/vault.js';
import { AppNotFound } from '../../apps/index.js';
import { SigningKeyUnavailable } from '../domain/session.errors.js';
import { type NewSigningKey, type PublicJwk, type SigningKey, SigningKeyRepository } from '../domain/signing-key.js';
import { Transactions } from '../../../kernel/transactions.js';

export interface Published {
  readonly jwks: PublicJwk[];
  readonly etag: string;
}

export interface KeySet extends Published {
  readonly appId: AppId;
  readonly current: { readonly kid: SigningKeyId; readonly privateKey: KeyObject };
  readonly publicKeys: ReadonlyMap<SigningKeyId, KeyObject>;
}

/** A retired key stays published for an hour, so a replica may use the keys it has read for a minute. */
const FRESH_MS = 60_000;
const CACHED_APPS = 10_000;

const ROTATION_DAYS = 30;

const PERIODS = {
  // This is longer than any cache of the JWKS: one minute in the service, five by its max-age, ten in JOSE libraries.
  publishedMinutes: 15,
  // This is much longer than the lifetime of a JWT.
  retentionMinutes: 60,
};

/** Keys are kept in memory for a minute. The first keys of an app are generated on first use. */
@Injectable()
export class SigningKeys {
  private readonly known = new RecentlyUsed<AppId, KeySet & { readonly loadedAt: number }>(CACHED_APPS);
  private readonly loads = new SharedRuns<KeySet>();

  constructor(
    private readonly keys: SigningKeyRepository,
    private readonly vault: Vault,
    private readonly transactions: Transactions,
    private readonly serviceKeys: ServiceKeys,
  ) {}

  /** At most a minute old. Call it outside a transaction if possible, because the first call generates keys. */
  async of(appId: AppId): Promise<KeySet> {
    const known = this.known.get(appId);
    return known && performance.now() - known.loadedAt < FRESH_MS
      ? known
      : this.loads.join(appId, () => this.read(appId));
  }

  /** Public keys can be read while the key provider does not open the private ones. */
  async published(appId: AppId): Promise<Published> {
    try {
      return await this.of(appId);
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      const stored = (await this.keys.of(appId)) ?? [];
      // Earlier releases stored no MAC. Verifiers would refuse the sessions of a key that a partial set lacks.
      if (stored.some(({ publicMac }) => publicMac === null)) throw error;
      const jwks = stored.filter((key) => this.isAuthentic(key)).map((key) => key.publicJwk);
      if (jwks.length === 0) throw error;
      return publishedOf(jwks.map(({ kid, n, e }) => jwkOf(kid, n, e)));
    }
  }

  /** An unknown id may be new on another replica, so it is read from the database. A forged id therefore costs one statement. */
  async publicKey(appId: AppId, kid: SigningKeyId): Promise<KeyObject | null> {
    const known = (await this.of(appId)).publicKeys.get(kid);
    return known ?? (await this.reload(appId)).publicKeys.get(kid) ?? null;
  }

  /** Reads the stored keys of the app. A read in progress may have begun before the change. */
  private reload(appId: AppId): Promise<KeySet> {
    return this.loads.follow(appId, () => this.read(appId));
  }

  /** Offline verifiers must know the next key before it signs, so false is returned if the last rotation was only minutes ago. */
  async rotate(appId: AppId): Promise<boolean> {
    // Creates the first keys of an app. A current key that cannot be unsealed does not matter: the rotation replaces it.
    await this.of(appId).catch((error: unknown) => {
      if (!(error instanceof SigningKeyUnavailable)) throw error;
    });
    const next = await this.generate(appId);
    const rotated = await this.transactions.run(() => this.keys.rotate(appId, next, PERIODS));
    await this.reload(appId);
    return rotated;
  }

  async rotateExpiring(): Promise<void> {
    await inTurn(await this.keys.dueForRotation(ROTATION_DAYS, 1_000), (appId) => this.rotate(appId));
  }

  private async generate(appId: AppId): Promise<NewSigningKey> {
    await this.vault.ready(appId);
    const id = newId('signingKey');
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    // Again, because making a key takes long on a busy machine.
    await this.vault.ready(appId);
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    const sealedPrivateKey = this.vault.seal(plain, context(appId, id));
    plain.fill(0);
    const publicJwk = jwkOfKey(id, publicKey);
    return { id, publicJwk, publicMac: this.macOf(appId, publicJwk), sealedPrivateKey };
  }

  private async read(appId: AppId): Promise<KeySet> {
    const loadedAt = performance.now();
    let stored = await this.keys.of(appId);
    if (stored?.length === 0) {
      await this.keys.createFirst(appId, ...(await Promise.all([this.generate(appId), this.generate(appId)])));
      stored = await this.keys.of(appId);
    }
    const current = stored?.find(({ state }) => state === 'current');
    if (!stored || !current) throw new AppNotFound();
    await this.vault.ready(appId);
    const set = { ...this.ready(stored, current), loadedAt };
    this.known.set(appId, set);
    for (const { id, publicMac } of stored) {
      const jwk = publicMac === null && set.jwks.find(({ kid }) => kid === id);
      if (jwk) await this.keys.authenticate(appId, id, jwk, this.macOf(appId, jwk));
    }
    return set;
  }

  /** Derives the public halves from the sealed keys: a public key replaced in the table would let a forged JWT pass. */
  private ready(stored: readonly SigningKey[], current: SigningKey): KeySet {
    const privateKey = this.openIfWhole(current);
    if (!privateKey) throw new SigningKeyUnavailable();
    const publicKeys = new Map<SigningKeyId, KeyObject>();
    for (const key of stored) {
      const own = key === current ? privateKey : this.openIfWhole(key);
      if (own) publicKeys.set(key.id, createPublicKey(own));
    }
    const jwks = [...publicKeys].map(([kid, key]) => jwkOfKey(kid, key));
    return {
      appId: current.appId,
      current: { kid: current.id, privateKey },
      publicKeys,
      ...publishedOf(jwks),
    };
  }

  private isAuthentic({ appId, id, publicJwk, publicMac }: SigningKey): boolean {
    const mac = this.macOf(appId, { ...publicJwk, kid: id });
    return publicMac?.length === mac.length && timingSafeEqual(publicMac, mac);
  }

  private macOf(appId: AppId, { kid, n, e }: PublicJwk): Buffer {
    const key = this.serviceKeys.derive('published signing key');
    return createHmac('sha256', key)
      .update(JSON.stringify([appId, kid, n, e]))
      .digest();
  }

  private open({ appId, id, sealedPrivateKey }: SigningKey): KeyObject {
    const plain = this.vault.open(sealedPrivateKey, context(appId, id));
    try {
      return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
    } finally {
      plain.fill(0);
    }
  }

  /** Null if the key cannot be unsealed, which the vault has logged. A next or previous key is then left out. */
  private openIfWhole(key: SigningKey): KeyObject | null {
    try {
      return this.open(key);
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}

function jwkOfKey(kid: SigningKeyId, publicKey: KeyObject): PublicJwk {
  const { n, e } = publicKey.export({ format: 'jwk' }) as { n: string; e: string };
  return jwkOf(kid, n, e);
}

function publishedOf(jwks: PublicJwk[]): Published {
  return { jwks, etag: `"${createHash('sha256').update(JSON.stringify(jwks)).digest('base64url').slice(0, 22)}"` };
}

function jwkOf(kid: SigningKeyId, n: string, e: string): PublicJwk {
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig', key_ops: ['verify'] };
}

function context(appId: AppId, id: SigningKeyId): [string, string, string] {
  return ['signing-key', appId, id];
}
