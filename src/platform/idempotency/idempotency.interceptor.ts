import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { Transactions } from '../../kernel/transactions.js';
import { Vault } from '../../kernel/vault.js';
import type { AuthenticatedRequest } from '../auth/credentials.js';
import { Database } from '../database/database.js';
import { InvalidRequest } from '../http/errors.js';
import { IdempotencyKeyReused } from './errors.js';

/** No endpoint that creates has a longer path, however it is percent-encoded; an index row could not hold any. */
const LONGEST_PATH = 255;

interface Scope {
  readonly appId: string;
  readonly path: string;
  readonly keyHash: Buffer;
  readonly bodyHash: Buffer;
}

/**
 * Makes a creating POST answer the same key with the same answer. Key, effect and answer are one transaction: a crash
 * leaves all or nothing, and a simultaneous call waits on the key's row until the first has committed or rolled back.
 * A refusal rolls back and changed nothing, so it is not kept: the same key may be tried again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** Calls under way in this process, so that those who wait for one hold no database connection meanwhile. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(
    private readonly transactions: Transactions,
    private readonly database: Database,
    private readonly vault: Vault,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined || request.path.length > LONGEST_PATH) return next.handle();
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new InvalidRequest([
        { field: 'Idempotency-Key', code: 'format', message: 'must be 1 to 255 visible ASCII characters' },
      ]);
    }
    const scope: Scope = {
      appId: request.app_?.id ?? 'management',
      // As the router reads it: neither case nor a slash at the end makes another endpoint.
      path: request.path.toLowerCase().replace(/\/+$/, ''),
      keyHash: sha256(key),
      bodyHash: sha256(JSON.stringify(request.body ?? {})),
    };
    return from(this.oneAtATime(scope, () => this.answer(scope, context.switchToHttp().getResponse<Response>(), next)));
  }

  private async oneAtATime<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    const name = `${scope.appId} ${scope.path} ${scope.keyHash.toString('hex')}`;
    for (let other = this.underWay.get(name); other; other = this.underWay.get(name))
      await other.catch(() => undefined);
    const own = work();
    this.underWay.set(name, own);
    try {
      return await own;
    } finally {
      this.underWay.delete(name);
    }
  }

  private answer(scope: Scope, response: Response, next: CallHandler): Promise<unknown> {
    return this.transactions.run(async () => {
      if (!(await this.claim(scope))) return this.replay(scope, response);
      const answer: unknown = await firstValueFrom(next.handle());
      const sealed = this.vault.seal(Buffer.from(JSON.stringify(answer)), sealContext(scope));
      await this.database.query(
        `update idempotency_keys set answer = $4 where app_id = $1 and path = $2 and key_hash = $3`,
        [scope.appId, scope.path, scope.keyHash, sealed],
      );
      return answer;
    });
  }

  /** True for the first call with this key in 24 hours. Waits for a call of another replica that has not ended yet. */
  private async claim({ appId, path, keyHash, bodyHash }: Scope): Promise<boolean> {
    const row = await this.database.one(
      `insert into idempotency_keys as k (app_id, path, key_hash, body_hash) values ($1, $2, $3, $4)
       on conflict (app_id, path, key_hash) do update set body_hash = excluded.body_hash, answer = null, created_at = now()
         where k.created_at < now() - interval '24 hours'
       returning 1 as claimed`,
      [appId, path, keyHash, bodyHash],
    );
    return row !== null;
  }

  private async replay(scope: Scope, response: Response): Promise<unknown> {
    const first = await this.database.one<{ bodyHash: Buffer; answer: Buffer }>(
      `select body_hash as "bodyHash", answer from idempotency_keys where app_id = $1 and path = $2 and key_hash = $3`,
      [scope.appId, scope.path, scope.keyHash],
    );
    if (!first?.bodyHash.equals(scope.bodyHash)) throw new IdempotencyKeyReused();
    response.setHeader('Idempotent-Replayed', 'true');
    return JSON.parse(this.vault.open(first.answer, sealContext(scope)).toString()) as unknown;
  }
}

function sealContext({ appId, path, keyHash }: Scope): readonly [string, ...string[]] {
  return ['idempotency', appId, path, keyHash.toString('hex')];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
