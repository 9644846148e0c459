import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { isId } from '../../kernel/ids.js';
import { SharedRuns } from '../../kernel/shared-runs.js';
import { KeyNotReady, type KeyOwner } from '../../kernel/app-keys.js';
import { type SealBinding, SealBroken, Vault } from '../../kernel/vault.js';
import type { AuthenticatedRequest } from '../auth/credential.js';
import { Database } from '../../postgres/database.js';
import { PostgresTransactions } from '../../postgres/postgres-transactions.js';
import { InvalidRequest, KeysUnavailable } from '../../kernel/errors.js';
import { IdempotencyKeyReused } from '../errors/edge-errors.js';
import { StoredBytes } from './stored-bytes.js';

/** No POST endpoint has a longer path, however it is percent-encoded; an index row could not hold any. */
const LONGEST_PATH = 255;

interface Scope {
  readonly appId: string;
  readonly path: string;
  readonly keyHash: Buffer;
  readonly body: HashedBody;
}

interface HashedBody {
  /** Of the members in their order. Earlier replicas compare only this. */
  readonly bodyHash: Buffer;
  /** Of the members in one order. */
  readonly canonicalHash: Buffer;
}

/**
 * Returns the first response to a POST that repeats an `Idempotency-Key`. The response commits with the effect, in the last
 * transaction of the handler: a process killed at any line leaves both or neither. Counts of wrong tries stay outside.
 * A refusal is not kept, so the same key may be used again when its cause is mended.
 *
 * Calls with the same key wait for each other in memory. On several replicas both run, but only the first to commit keeps
 * its effect: the other one finds the key taken, rolls back and returns the first response.
 */
@Injectable()
export class Idempotency {
  private readonly underWay = new SharedRuns<unknown>();

  constructor(
    private readonly transactions: PostgresTransactions,
    private readonly database: Database,
    private readonly vault: Vault,
    private readonly storedBytes: StoredBytes,
  ) {}

  /**
   * The first response to the request's key, or the result of `handle` if there is none. If `commitsItself`, the handler waits
   * for the network after its commit, so its response is kept afterwards.
   */
  async answer(request: AuthenticatedRequest, handle: () => unknown, commitsItself: boolean): Promise<unknown> {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new InvalidRequest([
        { field: 'Idempotency-Key', rule: 'format', message: 'must be 1 to 255 visible ASCII characters' },
      ]);
    }
    if (request.path.length > LONGEST_PATH) return handle();
    const scope = scopeOf(request, key);
    await this.vault.ready(ownerOfAnswer(scope));
    let bytes = 0;
    const keep = async (answer: unknown): Promise<void> => void (bytes = await this.keep(scope, answer));
    const act = commitsItself
      ? async () => {
          const answer = await handle();
          await this.whereKeysAllow(ownerOfAnswer(scope), () => keep(answer));
          return answer;
        }
      : () => this.transactions.concluding(async () => handle(), keep);
    return this.underWay.own(`${scope.appId} ${scope.path} ${scope.keyHash.toString('hex')}`, () =>
      this.first(scope, request.res!, async () => {
        await this.storedBytes.requireRoom(scope.appId);
        const answer = await act();
        this.storedBytes.add(scope.appId, bytes);
        return answer;
      }),
    );
  }

  /** The effect is committed and cannot be taken back, so the response is returned even if it cannot be sealed. */
  private async whereKeysAllow(owner: KeyOwner, keep: () => Promise<void>): Promise<void> {
    try {
      await this.vault.ready(owner);
      await keep();
    } catch (error) {
      // `ready` has raised the alarm of a key that was altered or is gone.
      if (![KeysUnavailable, KeyNotReady, SealBroken].some((fault) => error instanceof fault)) throw error;
    }
  }

  private async first(scope: Scope, response: Response, act: () => Promise<unknown>): Promise<unknown> {
    const first = await this.find(scope);
    if (first) return this.replay(scope, first, response);
    try {
      return await act();
    } catch (error) {
      // Another replica may have committed a call with the same key, which caused this refusal; or COMMIT was cut off but done.
      const meanwhile = await this.find(scope).catch(() => null);
      if (!meanwhile) throw error;
      return this.replay(scope, meanwhile, response);
    }
  }

  private async find({ appId, path, keyHash }: Scope): Promise<KeptAnswer | null> {
    return (await this.database.read<KeptAnswer>(FIND, [appId, path, keyHash]))[0] ?? null;
  }

  /** Returns the bytes that it stored. Throws when another call was first, so that the transaction of this one rolls back. */
  private async keep(scope: Scope, answer: unknown): Promise<number> {
    const sealed = this.vault.seal(Buffer.from(JSON.stringify(answer)), sealContext(scope));
    const { appId, path, keyHash, body } = scope;
    const values = [appId, path, keyHash, body.bodyHash, digestOf(body), sealed];
    const [kept] = await this.database.write(KEEP, values);
    if (!kept) throw new Error('Another call with this Idempotency-Key was answered first.');
    return sealed.length;
  }

  private replay(scope: Scope, first: KeptAnswer, response: Response): unknown {
    if (!isSameBody(first, scope.body)) throw new IdempotencyKeyReused();
    response.setHeader('Idempotent-Replayed', 'true');
    return JSON.parse(this.vault.open(first.answer, sealContext(scope)).toString()) as unknown;
  }
}

interface KeptAnswer {
  readonly bodyHash: Buffer;
  /** Null in the rows of earlier replicas. */
  readonly bodyDigest: Buffer | null;
  readonly answer: Buffer;
}

/** The version of a `body_digest`, in its first byte. */
const CANONICAL_JSON = Buffer.from([2]);

/** An earlier replica that replaces a row leaves its digest, which therefore counts only beside its body hash. */
function digestOf({ bodyHash, canonicalHash }: HashedBody): Buffer {
  return Buffer.concat([CANONICAL_JSON, createHash('sha256').update(bodyHash).update(canonicalHash).digest()]);
}

function isSameBody({ bodyHash, bodyDigest }: KeptAnswer, body: HashedBody): boolean {
  return bodyHash.equals(body.bodyHash) || bodyDigest?.equals(digestOf({ ...body, bodyHash })) === true;
}

const FIND = `
  select body_hash as "bodyHash", body_digest as "bodyDigest", answer from idempotency_keys
   where app_id = $1 and path = $2 and key_hash = $3 and created_at > now() - interval '24 hours'`;

const KEEP = `
  insert into idempotency_keys as k (app_id, path, key_hash, body_hash, body_digest, answer, created_at)
  values ($1, $2, $3, $4, $5, $6, now())
  on conflict (app_id, path, key_hash)
    do update set body_hash = excluded.body_hash, body_digest = excluded.body_digest, answer = excluded.answer,
                  created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '24 hours'
  returning 1 as kept`;

function scopeOf(request: AuthenticatedRequest, key: string): Scope {
  const { app_id: named } = request.params;
  const { app_: app } = request;
  return {
    appId: app?.id ?? (isId('app', named) ? named : 'management'),
    // As the router reads it: neither case nor a slash at the end makes another endpoint.
    path: request.path.toLowerCase().replace(/\/+$/, ''),
    // An Idempotency-Key has no blank, so no key of a secret key reads like one of a restricted key.
    keyHash: sha256(app?.restriction ? `${app.keyId} ${key}` : key),
    body: hashedBody(request.body ?? {}),
  };
}

function hashedBody(body: unknown): HashedBody {
  return { bodyHash: sha256(JSON.stringify(body)), canonicalHash: sha256(canonicalJson(body)) };
}

/** A management key may name apps that do not exist, and these must get no keys. */
function ownerOfAnswer({ appId, path }: Pick<Scope, 'appId' | 'path'>): KeyOwner {
  return isId('app', appId) && !path.startsWith('/management/') ? appId : 'service';
}

export function sealContext(scope: Pick<Scope, 'appId' | 'path' | 'keyHash'>): SealBinding {
  const { appId, path, keyHash } = scope;
  return { context: ['idempotency', appId, path, keyHash.toString('hex')], owner: ownerOfAnswer(scope) };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
