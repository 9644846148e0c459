import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { type AppId, type GrantId, isId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { type SealContext, SealedColumns, Vault } from '../../../kernel/vault.js';
import { Database } from '../../../postgres/database.js';
import { HttpMetrics } from '../../../services/observability/metrics.js';
import { type Interaction, InteractionNotFound, type InteractionResult, Interactions } from '../domain/interaction.js';

export type Payload = Record<string, unknown>;

/** A used refresh token still gives new ones for this time: the response with the next one may have been lost. */
const GRACE_SECONDS = 30;
const IN_GRACE = `consumed_at > now() - interval '${GRACE_SECONDS} seconds'`;

/** A caller who knows a public client and its redirect URL may begin interactions, which live for 30 minutes, and push requests. */
const MOST_BEGUN = 10_000;
export const PUSHED_REQUEST = 'PushedAuthorizationRequest';
const BEGUN = ['Interaction', PUSHED_REQUEST];

const USED = 'UsedProof';
/** A client that describes itself, and was deleted. */
export const REFUSED = 'RefusedClient';
/** A proof that is dated 300 seconds ahead is valid for 600. */
const PROOF_SECONDS = 600;
/** The clock of another replica may be behind. */
const SKEW_SECONDS = 60;
/** Each app has a memory of its own, so that none can push out the copies of another: 10,000 in all, or 2 MB. */
const MOST_COPIES = 100;
const MOST_APPS = 100;

interface Row {
  readonly idHash: Buffer;
  readonly grantId: string | null;
  readonly payload: Buffer;
  readonly consumed: boolean;
  readonly inGrace: boolean;
  readonly secondsLeft: number;
  /** Only an interaction that was answered has one. */
  readonly secretHash: Buffer | null;
}

const MATCHES = 'app_id = $1 and kind = $2 and id_hash = $3';
const FIND = `
  select id_hash as "idHash", grant_id as "grantId", payload, secret_hash as "secretHash", consumed_at is not null as consumed,
         coalesce(${IN_GRACE}, false) as "inGrace", extract(epoch from expires_at - now())::float8 as "secondsLeft"
    from authorization_artifacts where ${MATCHES} and expires_at > now()`;
const STORE = `
  insert into authorization_artifacts (app_id, kind, id_hash, grant_id, payload, expires_at)
  values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6::float8))
  on conflict (app_id, kind, id_hash) do update set grant_id = excluded.grant_id, payload = excluded.payload, expires_at = excluded.expires_at`;
const STORE_ONCE = `
  insert into authorization_artifacts (app_id, kind, id_hash, payload, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5::float8)) on conflict (app_id, kind, id_hash) do nothing returning kind`;
const CONSUME = `update authorization_artifacts set consumed_at = now() where ${MATCHES} and consumed_at is null and expires_at > now() returning kind`;
const MAY_REPEAT = `select kind from authorization_artifacts where ${MATCHES} and kind = 'RefreshToken' and ${IN_GRACE} and expires_at > now()`;
const WAITING = 'app_id = $1 and kind = $2 and consumed_at is null';
/** Forgets the oldest one if the app has reached its limit: a refusal would let a stranger block the sign-in of all users. */
const STORE_BEGUN = `
  with forgotten as (
    delete from authorization_artifacts where app_id = $1 and kind = $2 and id_hash = (
      select id_hash from authorization_artifacts
       where ${WAITING} and exists (select from authorization_artifacts where ${WAITING} and expires_at > now() offset ${MOST_BEGUN - 1})
       order by expires_at limit 1 for update skip locked)
    returning kind
  ), stored as (${STORE})
  select count(*)::int as forgotten from forgotten`;
const DESTROY = `delete from authorization_artifacts where ${MATCHES} returning kind`;
const DESTROY_OF_GRANT = 'delete from authorization_artifacts where app_id = $1 and grant_id = $2';
// These stay: neither counts again when the server is switched on again.
const DESTROY_ALL = `delete from authorization_artifacts where app_id = $1 and kind not in ('${USED}', '${REFUSED}')`;
const ANSWER = `
  update authorization_artifacts set payload = $4, secret_hash = $5, consumed_at = now()
   where ${MATCHES} and consumed_at is null and expires_at > now() returning kind`;

/** Codes, tokens, logins and interactions are found by a keyed hash, and their content is sealed. */
@Injectable()
export class Artifacts extends Interactions {
  private readonly endedEarly: Counter;
  /** Assertions and proofs of which a copy came, and when it may be forgotten: further copies cost no write. */
  private readonly copies = new RecentlyUsed<AppId, RecentlyUsed<string, number>>(MOST_APPS);

  constructor(
    private readonly database: Database,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
    private readonly clock: Clock,
    sealedColumns: SealedColumns,
    { registry }: HttpMetrics,
  ) {
    super();
    this.endedEarly = new Counter({
      name: 'authorization_sign_ins_ended_early_total',
      help: 'Sign-ins that waited at the authorization server and ended because the app had too many of them.',
      registers: [registry],
    });
    sealedColumns.register({
      table: 'authorization_artifacts',
      column: 'payload',
      key: ['app_id', 'kind', 'id_hash'],
      reads: ['grant_id'],
      context: (row) =>
        contextOf(row['app_id'] as AppId, String(row['kind']), row['id_hash'] as Buffer, row['grant_id'] as string),
    });
  }

  async find(appId: AppId, kind: string, id: string): Promise<Payload | undefined> {
    const [row] = await this.database.read<Row>(FIND, [appId, kind, this.hash(kind, id)]);
    if (!row) return undefined;
    const payload = await this.payloadOf(appId, kind, row);
    const isSpent = row.consumed && !(kind === 'RefreshToken' && row.inGrace);
    return { ...payload, ...(isSpent && { consumed: true }) };
  }

  async store(appId: AppId, kind: string, id: string, payload: Payload, seconds: number): Promise<void> {
    const idHash = this.hash(kind, id);
    const grantId = isId('grant', payload['grantId']) ? payload['grantId'] : null;
    const sealed = await this.seal(appId, kind, { idHash, grantId }, payload);
    const sql = BEGUN.includes(kind) ? STORE_BEGUN : STORE;
    const values = [appId, kind, idHash, grantId, sealed, seconds];
    const [begun] = await this.database.write<{ forgotten: number }>(sql, values);
    if (begun) this.endedEarly.inc(begun.forgotten);
  }

  /** False if the client has sent this `jti` before. Of simultaneous calls on all replicas, one returns true. */
  async isFirstUse(appId: AppId, clientId: string, jti: string, seconds = 0): Promise<boolean> {
    const idHash = this.hash(USED, `${clientId} ${jti}`);
    const name = idHash.toString('base64url');
    const now = this.clock.now().getTime();
    const copies = this.copies.get(appId) ?? new RecentlyUsed(MOST_COPIES);
    if ((copies.peek(name) ?? 0) > now) return false;
    const kept = Math.max(seconds, PROOF_SECONDS) + SKEW_SECONDS;
    const sealed = await this.seal(appId, USED, { idHash, grantId: null }, {});
    const stored = await this.database.write(STORE_ONCE, [appId, USED, idHash, sealed, kept]);
    if (stored.length > 0) return true;
    copies.set(name, now + kept * 1_000);
    this.copies.set(appId, copies);
    return false;
  }

  /** False if it was consumed before; of simultaneous calls one returns true. A refresh token has a grace period. */
  async consume(appId: AppId, kind: string, id: string): Promise<boolean> {
    const values = [appId, kind, this.hash(kind, id)];
    const consumed = await this.database.write(CONSUME, values);
    return consumed.length > 0 || (await this.database.read(MAY_REPEAT, values)).length > 0;
  }

  /** Of simultaneous calls on all replicas, one returns true. */
  async destroy(appId: AppId, kind: string, id: string): Promise<boolean> {
    return (await this.database.write(DESTROY, [appId, kind, this.hash(kind, id)])).length > 0;
  }

  async destroyOfGrant(appId: AppId, grantId: GrantId): Promise<void> {
    await this.database.write(DESTROY_OF_GRANT, [appId, grantId]);
  }

  async destroyAll(appId: AppId): Promise<void> {
    await this.database.write(DESTROY_ALL, [appId]);
  }

  async get(appId: AppId, id: string): Promise<Interaction> {
    const [row] = await this.database.read<Row>(FIND, [appId, 'Interaction', this.hash('Interaction', id)]);
    if (!row || row.consumed) throw new InteractionNotFound();
    const { params, iat, exp, returnTo } = await this.open(appId, 'Interaction', row);
    return { id, params, iat, exp, returnTo } as Interaction;
  }

  async answer(appId: AppId, id: string, result: InteractionResult, secret: string): Promise<void> {
    const idHash = this.hash('Interaction', id);
    const [row] = await this.database.write<Row>(FIND, [appId, 'Interaction', idHash]);
    if (!row || row.consumed) throw new InteractionNotFound();
    // The cookie identifies the browser. The user who was signed in there before does not matter.
    const { session: _, ...payload } = await this.open(appId, 'Interaction', row);
    const sealed = await this.seal(appId, 'Interaction', row, { ...payload, result });
    const values = [appId, 'Interaction', idHash, sealed, this.secretHash(id, secret)];
    if ((await this.database.write(ANSWER, values)).length === 0) throw new InteractionNotFound();
  }

  /** The interaction with its result, for the browser that has the secret of the answer. */
  async answered(appId: AppId, id: string, secret: string): Promise<Payload | null> {
    const [row] = await this.database.read<Row>(FIND, [appId, 'Interaction', this.hash('Interaction', id)]);
    const isRight = row?.secretHash && timingSafeEqual(row.secretHash, this.secretHash(id, secret));
    return isRight ? this.payloadOf(appId, 'Interaction', row) : null;
  }

  /** The clock of this process may differ from that of the replica that has stored it. */
  private async payloadOf(appId: AppId, kind: string, row: Row): Promise<Payload> {
    const exp = epochSeconds(this.clock.now()) + Math.ceil(row.secondsLeft);
    return { ...(await this.open(appId, kind, row)), exp };
  }

  private hash(kind: string, id: string): Buffer {
    return this.tokens.hash(`authorization ${kind}`, id);
  }

  private secretHash(id: string, secret: string): Buffer {
    return this.tokens.hash('authorization interaction secret', `${id} ${secret}`);
  }

  private async open(appId: AppId, kind: string, row: Pick<Row, 'idHash' | 'grantId' | 'payload'>): Promise<Payload> {
    await this.vault.ready(appId, row.payload);
    const plain = this.vault.open(row.payload, contextOf(appId, kind, row.idHash, row.grantId));
    return JSON.parse(plain.toString()) as Payload;
  }

  private async seal(
    appId: AppId,
    kind: string,
    { idHash, grantId }: Pick<Row, 'idHash' | 'grantId'>,
    payload: Payload,
  ): Promise<Buffer> {
    await this.vault.ready(appId);
    return this.vault.seal(Buffer.from(JSON.stringify(payload)), contextOf(appId, kind, idHash, grantId));
  }
}

/** The columns that find and end a row are part of the seal, so that none of them can be altered. */
function contextOf(appId: AppId, kind: string, idHash: Buffer, grantId: string | null): SealContext {
  return ['authorization-artifact', appId, kind, idHash.toString('hex'), grantId ?? ''];
}
