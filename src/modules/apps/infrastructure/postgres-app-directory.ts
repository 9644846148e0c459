import { Injectable } from '@nestjs/common';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, KeyId } from '../../../kernel/ids.js';
import type { KeyRestriction } from '../../../kernel/key-restriction.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { AuthenticatedApp, ManagementCaller } from '../../../edge/http/authenticated-request.js';
import { currentTransaction } from '../../../postgres/current-transaction.js';
import { Database } from '../../../postgres/database.js';
import { statement } from '../../../postgres/statement.js';
import { UnauthorizedCredentials } from '../../../edge/errors/edge-errors.js';
import { AppDirectory, type AppSettings, READ_ONLY_END, settingsOf } from '../domain/app.js';
import { SETTINGS_MAC } from '../domain/app-macs.js';
import { AppNotFound } from '../domain/apps.errors.js';
import type { KeyKind } from '../domain/api-key.js';
import { MANAGEMENT_SESSION_IDLE_SECONDS } from '../domain/management-key.repository.js';
import { FreshCache, type Perishable } from './fresh-cache.js';
import { Config } from '../../../services/config/config.js';
import { type CountedLimits, LimitsInForce } from '../../../services/limits/limits-in-force.js';

export interface KeyHolder extends Perishable {
  readonly app: AuthenticatedApp;
}

/** `name` is the name in this process's memory. The hash takes longer and is computed only for the database. */
export interface KeyLookup {
  readonly name: string;
  readonly hash: () => TokenHash;
}

export interface ManagementKeyHolder extends Perishable {
  readonly caller: ManagementCaller;
}

interface FoundSettings extends Perishable {
  readonly settings: AppSettings;
}

/** The signing revision ends with `stop`, as in `signing_states`. */
type SettingsRow = Parameters<typeof settingsOf>[0] & {
  readonly stop: string | null;
  readonly settingsMac: Buffer | null;
};

interface KeyRow extends SettingsRow {
  readonly keyId: KeyId;
  readonly restriction: KeyRestriction | null;
  readonly expiresAt: Date | null;
  readonly mac: Buffer | null;
  readonly livesForMs: number | null;
}

export const API_KEY_MAC = MacTables.declare({
  table: 'api_keys',
  since: 1,
  fields: ['kind', 'keyHash', 'restriction', 'expiresAt'],
  ended: 'revoked_at is not null',
});

export const MANAGEMENT_KEY_MAC = MacTables.declare({
  table: 'management_keys',
  since: 1,
  key: ['id'],
  fields: ['keyHash', 'role', 'expiresAt'],
  app: null,
  ended: 'revoked_at is not null',
});

export const MANAGEMENT_SESSION_MAC = MacTables.declare({
  table: 'management_sessions',
  since: 1,
  key: ['tokenHash'],
  fields: ['keyId', 'registration', 'operator', 'role', 'provedAt', 'expiresAt'],
  app: null,
});

interface ManagementCallerRow extends Omit<ManagementCaller, 'session'>, Perishable {
  readonly session: { readonly provedAt: string | null; readonly provedSecondsAgo: number | null } | null;
  readonly isUsedAgain: boolean;
  /** The rows of the key and of the session as their MACs cover them; null: there is none. */
  readonly key: { readonly keyHash: string; readonly expiresAt: number | null; readonly mac: string | null } | null;
  readonly own: { readonly provedAt: number | null; readonly expiresAt: number; readonly mac: string | null } | null;
}

const SETTINGS = `a.id, a.name, a.mode, a.default_wallet_type as "defaultWalletType", a.allowed_origins as "allowedOrigins", a.limits,
  a.assets, a.networks, a.transfer_policy as "transferPolicy", a.signing_policy as "signingPolicy", a.accept_confirmed as "acceptConfirmed", a.oauth_begin as "oauthBegin", a.step_up as "stepUp", a.approver_passkey_hours as "approverPasskeyHours", a.settings as "moduleSettings",
  a.signing_revision as "signingRevision", (select id from service_stops) as stop, a.mac as "settingsMac"`;

const BY_KEY = `
  select k.id as "keyId", k.restriction, k.expires_at as "expiresAt", k.mac, (extract(epoch from k.expires_at - now()) * 1000)::float8 as "livesForMs", ${SETTINGS}
    from api_keys k
    join apps a on a.id = k.app_id
   where k.key_hash = $1 and k.kind = $2
     and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
     and a.deleted_at is null`;

// A transaction that ends the key by which it was called is committed.
const IS_VALID_OR_ENDS_NOW = `
  select 1 / count(*) from api_keys where app_id = $1 and id = $2 and (revoked_at is null or revoked_at = now())`;

/** The row of a management key `k` as its MAC covers it. */
const MANAGEMENT_KEY = `
  case when k.id is not null then jsonb_build_object('id', k.id, 'keyHash', encode(k.key_hash, 'hex'), 'role', k.role,
    'expiresAt', (extract(epoch from k.expires_at) * 1000)::float8, 'mac', encode(k.mac, 'hex')) end`;

const BY_MANAGEMENT_KEY = `
  select id as "keyId", role, null as operator, expires_at as "expiresAt", null as session, false as "isUsedAgain", ${MANAGEMENT_KEY} as key, null as own, (extract(epoch from expires_at - now()) * 1000)::float8 as "livesForMs"
    from management_keys k
   where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`;

const IDLE = `interval '${MANAGEMENT_SESSION_IDLE_SECONDS} seconds'`;

/** Whether a session `s` of a key `k` or under these settings is live. */
export const IS_LIVE_SESSION = (registration: string): string => `
  s.expires_at > now() and s.last_used_at > now() - ${IDLE}
     and (s.registration = ${registration}
          or k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`;

const BY_MANAGEMENT_SESSION = `
  select ${MANAGEMENT_KEY} as key, jsonb_build_object('keyId', s.key_id, 'registration', s.registration, 'operator', s.operator, 'role', s.role,
         'provedAt', (extract(epoch from s.proved_at) * 1000)::float8, 'expiresAt', (extract(epoch from s.expires_at) * 1000)::float8, 'mac', encode(s.mac, 'hex')) as own,
         coalesce(k.id, 'oidc:' || s.operator) as "keyId", coalesce(k.role, s.role) as role, s.operator, s.expires_at as "expiresAt",
         json_build_object('provedAt', s.proved_at, 'provedSecondsAgo', extract(epoch from now() - s.proved_at)::float8) as session, s.last_used_at < now() - interval '1 minute' as "isUsedAgain",
         (extract(epoch from least(s.expires_at, s.last_used_at + ${IDLE}) - now()) * 1000)::float8 as "livesForMs"
    from management_sessions s
    left join management_keys k on k.id = s.key_id
   where s.token_hash = $1 and ${IS_LIVE_SESSION('$2')}`;

const TOUCH_SESSION = `
  update management_sessions set last_used_at = now() where token_hash = $1 and last_used_at < now() - interval '1 minute'`;

const BY_ID = `select ${SETTINGS} from apps a where a.id = $1 and a.deleted_at is null`;

const TOKENS_ON = `
  select distinct asset->>'token' as token
    from apps a cross join lateral jsonb_array_elements(a.assets) as asset
   where a.deleted_at is null and asset->>'chain' = $1`;

/** Keys and settings are read through a cache per process: a change on another replica takes effect within half a second. */
@Injectable()
export class PostgresAppDirectory extends AppDirectory {
  private readonly keys = new FreshCache<KeyHolder>(10_000);
  private readonly managementKeys = new FreshCache<ManagementKeyHolder>(1_000);
  private readonly apps = new FreshCache<FoundSettings>(10_000);
  private readonly registered: FreshCache<Perishable>[] = [];

  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    private readonly config: Config,
  ) {
    super();
  }

  override settings(appId: AppId): AppSettings | Promise<AppSettings> {
    const found = this.cached(this.apps, appId, async () => {
      const [row] = await this.database.read<SettingsRow>(BY_ID, [appId]);
      return row ? { settings: this.inForce(row), livesForMs: null } : null;
    });
    return found instanceof Promise ? found.then(settingsIn) : settingsIn(found);
  }

  async tokensOn(chain: ChainName): Promise<readonly string[]> {
    return (await this.database.list<{ token: string }>(TOKENS_ON, [chain])).map(({ token }) => token);
  }

  key(kind: KeyKind, { name, hash }: KeyLookup): KeyHolder | null | Promise<KeyHolder | null> {
    return this.cached(this.keys, name, async () => {
      const [row] = await this.database.read<KeyRow>(BY_KEY, [hash(), kind]);
      if (!row) return null;
      const { keyId, restriction, expiresAt, mac, livesForMs, ...stored } = row;
      this.macs.check(API_KEY_MAC, {
        appId: stored.id,
        id: keyId,
        kind,
        keyHash: hash(),
        restriction,
        expiresAt,
        mac,
      });
      const settings = this.inForce(stored);
      const app = { ...settings, keyId, restriction, callsPerSecond: settings.limits.secretKeyCallsPerSecond };
      // A bound key ends by the proof of its user's address, before that is answered: on no replica may it be valid for longer.
      return { app, livesForMs: restriction?.binding ? 0 : livesForMs };
    });
  }

  commitOnlyIfValid(appId: AppId, keyId: string): void {
    currentTransaction()!.requireAtCommit({
      statement: statement(IS_VALID_OR_ENDS_NOW, [appId, keyId]),
      unmet: () => new UnauthorizedCredentials('secret'),
    });
  }

  managementKey(key: KeyLookup): ManagementKeyHolder | null | Promise<ManagementKeyHolder | null> {
    return this.managementCaller(BY_MANAGEMENT_KEY, key, []);
  }

  managementSession(token: KeyLookup): ManagementKeyHolder | null | Promise<ManagementKeyHolder | null> {
    return this.managementCaller(BY_MANAGEMENT_SESSION, token, [this.config.consoleOidc?.registration ?? null]);
  }

  /** The name of a key is never that of a session, because the purpose is part of both. */
  private managementCaller(
    sql: string,
    { name, hash }: KeyLookup,
    values: readonly unknown[],
  ): ManagementKeyHolder | null | Promise<ManagementKeyHolder | null> {
    return this.cached(this.managementKeys, name, async () => {
      const [row] = await this.database.read<ManagementCallerRow>(sql, [hash(), ...values]);
      if (!row) return null;
      const { livesForMs, isUsedAgain, session, key, own, ...caller } = row;
      if (key) {
        this.macs.check(MANAGEMENT_KEY_MAC, {
          ...key,
          keyHash: bytesOf(key.keyHash),
          expiresAt: dateOf(key.expiresAt),
          mac: bytesOf(key.mac),
        });
      }
      if (own)
        this.macs.check(MANAGEMENT_SESSION_MAC, {
          ...own,
          tokenHash: hash(),
          provedAt: dateOf(own.provedAt),
          expiresAt: dateOf(own.expiresAt),
          mac: bytesOf(own.mac),
        });
      if (isUsedAgain) await this.database.write(TOUCH_SESSION, [hash()]);
      const provedAt = session?.provedAt ? new Date(session.provedAt) : null;
      return { caller: { ...caller, session: session && { ...session, provedAt } }, livesForMs };
    });
  }

  remembering<K extends readonly string[], V extends object>(
    load: (...key: K) => Promise<V | null>,
  ): (...key: K) => DataOf<V> | null | Promise<DataOf<V> | null> {
    const cache = new FreshCache<DataOf<V> & Perishable>(1_000);
    this.registered.push(cache);
    const perishable = async (key: K) => {
      const found = await load(...key);
      return found && { ...found, livesForMs: null };
    };
    return (...key) => this.cached(cache, JSON.stringify(key), () => perishable(key));
  }

  changed(): void {
    const forget = () =>
      [this.keys, this.managementKeys, this.apps, ...this.registered].forEach((cache) => cache.clear());
    const transaction = currentTransaction();
    if (transaction) transaction.onCommit(forget);
    else forget();
  }

  private inForce({ stop, settingsMac: mac, ...stored }: SettingsRow): AppSettings {
    this.macs.check(SETTINGS_MAC, { ...stored, settings: stored.moduleSettings, mac });
    const end = this.config.readOnly ? READ_ONLY_END : (stop ?? '');
    return settingsOf({ ...stored, signingRevision: stored.signingRevision + end });
  }

  private cached<V extends Perishable>(
    cache: FreshCache<V>,
    name: string,
    load: () => Promise<V | null>,
  ): V | null | Promise<V | null> {
    // A transaction may see uncommitted data, and other callers must not wait for its connection: it bypasses the cache.
    if (currentTransaction()) return cache.peek(name) ?? load();
    return cache.get(name, load);
  }
}

const dateOf = (milliseconds: number | null): Date | null => (milliseconds === null ? null : new Date(milliseconds));

function bytesOf(hex: string | null): Buffer | null {
  return hex === null ? null : Buffer.from(hex, 'hex');
}

function settingsIn(found: FoundSettings | null): AppSettings {
  if (!found) throw new AppNotFound();
  return found.settings;
}

@Injectable()
export class DirectoryLimits extends LimitsInForce {
  constructor(private readonly directory: AppDirectory) {
    super();
  }

  override async of(appId: AppId): Promise<CountedLimits> {
    return (await this.directory.settings(appId)).limits;
  }
}
