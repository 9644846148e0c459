import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { type AppId, isId } from '../../kernel/ids.js';
import { SharedRuns } from '../../kernel/shared-runs.js';
import { KeyNotReady, type KeyOwner } from '../../kernel/app-keys.js';
import { type SealBinding, SealBroken, Vault } from '../../kernel/vault.js';
import type { AuthenticatedRequest } from '../http/authenticated-request.js';
import { Database } from '../../postgres/database.js';
import { named } from '../../postgres/statement.js';
import { PostgresTransactions } from '../../postgres/postgres-transactions.js';
import { InvalidRequest, KeysUnavailable } from '../../kernel/errors.js';
import { IdempotencyKeyReused, StoredAnswersFull } from '../errors/edge-errors.js';
import type { RepeatedLogins } from './repeated-logins.js';
import { StoredBytes } from './stored-bytes.js';

/** POST endpoints have shorter paths, and an index row cannot hold any length. */
const LONGEST_PATH = 255;

interface Scope {
  readonly appId: string;
  readonly path: string;
  readonly keyHash: Buffer;
  /** Another hash where an earlier replica would not understand the stored response: that of a login. */
  readonly formerKeyHash: Buffer;
  readonly minutes: number;
  readonly body: HashedBody;
}

interface HashedBody {
  /** The members have their own order. Earlier replicas compare only this hash. */
  readonly bodyHash: Buffer;
  readonly canonicalHash: Buffer;
}

export interface Repetition {
  /** The handler waits for the network after its commit, so its response is stored afterwards. */
  readonly commitsItself: boolean;
  /** A repetition has no second effect, even if no response is stored. */
  readonly isSafe: boolean;
  readonly takesReserve: boolean;
  /** Responses of a sign-in are repeated for minutes, and only while they are true. */
  readonly logins?: RepeatedLogins;
}

/**
 * The response commits with the effect, in the last transaction of the handler: a killed process leaves both or neither. A refusal is not
 * kept. Calls with one key wait for each other in memory; of several replicas the first to commit keeps its effect, and the other rolls
 * back and returns the first response.
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

  async answer(request: AuthenticatedRequest, handle: () => unknown, repetition: Repetition): Promise<unknown> {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new InvalidRequest([
        { field: 'Idempotency-Key', rule: 'format', message: 'must be 1 to 255 visible ASCII characters' },
      ]);
    }
    if (request.path.length > LONGEST_PATH) return handle();
    const call = { scope: scopeOf(request, key, repetition), handle, repetition, response: request.res! };
    await this.vault.ready(ownerOfAnswer(call.scope));
    const { appId, path, keyHash } = call.scope;
    return this.underWay.own(`${appId} ${path} ${keyHash.toString('hex')}`, () => this.first(call));
  }

  private async act({ scope, handle, repetition, response }: KeyedCall): Promise<unknown> {
    const { commitsItself, isSafe, takesReserve, logins } = repetition;
    const exceeded = await this.storedBytes.exceededLimit(scope.appId, takesReserve);
    if (exceeded !== null) {
      if (!isSafe) throw new StoredAnswersFull(exceeded);
      response.setHeader('Idempotency-Stored', 'false');
      return handle();
    }
    let bytes = 0;
    const keep = async (answer: unknown): Promise<void> => {
      bytes = await this.keep(scope, logins ? logins.stored(answer as never) : answer);
    };
    const answer = commitsItself
      ? await this.handledBeforeKept(scope, handle, keep)
      : await this.transactions.concluding(async () => handle(), keep);
    this.storedBytes.add(scope.appId, bytes, takesReserve);
    return answer;
  }

  private async handledBeforeKept(
    scope: Scope,
    handle: () => unknown,
    keep: (answer: unknown) => Promise<void>,
  ): Promise<unknown> {
    const answer = await handle();
    await this.whereKeysAllow(ownerOfAnswer(scope), () => keep(answer));
    return answer;
  }

  /** The effect is committed, so the response is returned even if it cannot be sealed. */
  private async whereKeysAllow(owner: KeyOwner, keep: () => Promise<void>): Promise<void> {
    try {
      await this.vault.ready(owner);
      await keep();
    } catch (error) {
      // `ready` has raised the alarm of a key that was altered or is gone.
      if (![KeysUnavailable, KeyNotReady, SealBroken].some((fault) => error instanceof fault)) throw error;
    }
  }

  private async first(call: KeyedCall): Promise<unknown> {
    const first = await this.find(call.scope);
    if (first) return this.replay(call, first, () => call.handle());
    try {
      return await this.act(call);
    } catch (error) {
      // Another replica may have committed a call with the same key, which caused this refusal; or COMMIT was cut off but done.
      const meanwhile = await this.find(call.scope).catch(() => null);
      if (!meanwhile) throw error;
      return this.replay(call, meanwhile, () => {
        throw error;
      });
    }
  }

  private async find({ appId, path, keyHash, formerKeyHash, minutes }: Scope): Promise<KeptAnswer | null> {
    const places = [appId, path, [keyHash, formerKeyHash], minutes];
    return (await this.database.read<KeptAnswer>(FIND, places))[0] ?? null;
  }

  /** Returns the stored bytes. Throws when another call was first, so that this transaction rolls back. */
  private async keep(scope: Scope, answer: unknown): Promise<number> {
    const sealed = this.vault.seal(Buffer.from(JSON.stringify(answer)), sealContext(scope));
    const { appId, path, keyHash, body, minutes } = scope;
    const row = { appId, path, keyHash, bodyHash: body.bodyHash, bodyDigest: digestOf(body), sealed, minutes };
    const [kept] = await this.database.write(...KEEP(row));
    if (!kept) throw new Error('Another call with this Idempotency-Key was answered first.');
    return sealed.length;
  }

  private async replay(
    { scope, repetition: { logins }, response }: KeyedCall,
    first: KeptAnswer,
    orElse: () => unknown,
  ): Promise<unknown> {
    if (!isSameBody(first, scope.body)) throw new IdempotencyKeyReused();
    const context = sealContext({ ...scope, keyHash: first.keyHash });
    const kept = JSON.parse(this.vault.open(first.answer, context).toString()) as unknown;
    const answer = logins ? await logins.restored(scope.appId as AppId, kept as never) : kept;
    if (logins && !answer) return orElse();
    response.setHeader('Idempotent-Replayed', 'true');
    return answer;
  }
}

interface KeyedCall {
  readonly scope: Scope;
  readonly handle: () => unknown;
  readonly repetition: Repetition;
  readonly response: Response;
}

interface KeptAnswer {
  readonly keyHash: Buffer;
  readonly bodyHash: Buffer;
  /** Null in rows of earlier replicas. */
  readonly bodyDigest: Buffer | null;
  readonly answer: Buffer;
}

/** The first byte of a `body_digest`. */
const CANONICAL_JSON = Buffer.from([2]);

/** An earlier replica that replaces a row leaves its digest, so it counts only beside its body hash. */
function digestOf({ bodyHash, canonicalHash }: HashedBody): Buffer {
  return Buffer.concat([CANONICAL_JSON, createHash('sha256').update(bodyHash).update(canonicalHash).digest()]);
}

function isSameBody({ bodyHash, bodyDigest }: KeptAnswer, body: HashedBody): boolean {
  return bodyHash.equals(body.bodyHash) || bodyDigest?.equals(digestOf({ ...body, bodyHash })) === true;
}

const FIND = `
  select key_hash as "keyHash", body_hash as "bodyHash", body_digest as "bodyDigest", answer from idempotency_keys
   where app_id = $1 and path = $2 and key_hash = any($3::bytea[]) and created_at > now() - make_interval(mins => $4::int)
   order by created_at desc limit 1`;

interface AnsweredCall {
  readonly appId: string;
  readonly path: string;
  readonly keyHash: Buffer;
  readonly bodyHash: Buffer;
  readonly bodyDigest: Buffer;
  readonly sealed: Buffer;
  readonly minutes: number;
}

const KEEP = named<AnsweredCall>(`
  insert into idempotency_keys as k (app_id, path, key_hash, body_hash, body_digest, answer, created_at)
  values ($appId, $path, $keyHash, $bodyHash, $bodyDigest, $sealed, now())
  on conflict (app_id, path, key_hash)
    do update set body_hash = excluded.body_hash, body_digest = excluded.body_digest, answer = excluded.answer,
                  created_at = excluded.created_at
    where excluded.created_at - k.created_at >= make_interval(mins => $minutes::int)
  returning 1 as kept`);

const DAY_MINUTES = 24 * 60;
const LOGIN_MINUTES = 5;

function scopeOf(request: AuthenticatedRequest, key: string, { logins }: Repetition): Scope {
  const { app_id: named } = request.params;
  const { app_: app } = request;
  // An Idempotency-Key has no blank, so no key of a secret key reads like one of a restricted key.
  const ofCaller = app?.restriction ? `${app.keyId} ${key}` : key;
  const formerKeyHash = sha256(ofCaller);
  return {
    appId: app?.id ?? (isId('app', named) ? named : 'management'),
    // As the router reads it: neither case nor a slash at the end makes another endpoint.
    path: request.path.toLowerCase().replace(/\/+$/, ''),
    keyHash: logins ? sha256(`login ${ofCaller}`) : formerKeyHash,
    formerKeyHash,
    minutes: logins ? LOGIN_MINUTES : DAY_MINUTES,
    body: hashedBody(request.body ?? {}),
  };
}

function hashedBody(body: unknown): HashedBody {
  return { bodyHash: sha256(JSON.stringify(body)), canonicalHash: sha256(canonicalJson(body)) };
}

/** A management key may name apps that do not exist; these must get no keys. */
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
