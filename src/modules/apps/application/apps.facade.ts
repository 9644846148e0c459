import { Injectable } from '@nestjs/common';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { NetworkNotEnabled } from '../../../kernel/chain/chain.errors.js';
import { type ConfiguredNetwork, ConfiguredNetworks } from '../../../kernel/chain/networks.js';
import type { AppId, OauthConnectionId, UserId, WalletId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { DataOf } from '../../../kernel/entity.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKeyRepository } from '../domain/api-key.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';
import { type App, AppDirectory, type AppSettings, AppRepository } from '../domain/app.js';
import { InvalidRedirectUrl, NoDefaultRedirectUrl } from '../domain/apps.errors.js';
import { KeyRevoked } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { OauthConnectionRepository, type OauthConnection, type UserinfoNeed } from '../domain/oauth-connection.js';
import { canonicalRedirectUrl, type RedirectKind, RedirectUrlRepository } from '../domain/redirect-url.js';
import { ConnectionSecrets } from './connection-secrets.js';

/** A connection with its secrets as plaintext. Never log or return it. */
export interface OpenedConnection {
  readonly id: OauthConnectionId;
  readonly appId: AppId;
  readonly provider: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly issuer: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly privateKey: string | null;
  readonly trustsEmail: boolean;
  readonly emailDomains: readonly string[];
  readonly sendsPkce: boolean;
  readonly userinfo: UserinfoNeed;
}

/** The part of a locked app that decides whether its wallets sign, and who may change that. */
export type SigningApp = Pick<App, 'id' | 'name' | 'frozenAt' | 'moduleSettings'>;

interface AuditedChange<T> {
  readonly by: Requester;
  readonly appId: AppId;
  readonly action: string;
  readonly target: string | ((result: T) => string);
  readonly fields?: readonly string[];
}

const MOST_CONNECTIONS = 1_000;

@Injectable()
export class AppsFacade {
  constructor(
    private readonly directory: AppDirectory,
    private readonly connections: OauthConnectionRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly secrets: ConnectionSecrets,
    private readonly auditLog: AuditLog,
    private readonly apps: AppRepository,
    private readonly transactions: Transactions,
    private readonly apiKeys: ApiKeyRepository,
    private readonly managementKeys: ManagementKeyRepository,
    private readonly configured: ConfiguredNetworks,
    private readonly events: DomainEvents,
  ) {}

  /** From memory, at most half a second old. Throws `AppNotFound`, also for a deleted app. */
  async settings(appId: AppId): Promise<AppSettings> {
    return this.directory.settings(appId);
  }

  async networks(appId: AppId): Promise<readonly ConfiguredNetwork[]> {
    return this.configured.enabled((await this.settings(appId)).networks);
  }

  /** Takes a name or a CAIP-2 name. Throws `NetworkNotEnabled`, which names `field`, if the app may not use the network. */
  async requireNetwork(appId: AppId, network: string, field = 'network'): Promise<ConfiguredNetwork> {
    const named = this.configured.nameOf(network);
    const enabled = (await this.networks(appId)).find(({ name }) => name === named);
    if (!enabled) throw new NetworkNotEnabled(named, field);
    return enabled;
  }

  /** The contracts or mints of a chain that any app lists among its assets. */
  tokensOn(chain: ChainName): Promise<readonly string[]> {
    return this.directory.tokensOn(chain);
  }

  /** Throws `AppNotFound` for a deleted app. The app may be deleted afterwards, unless the transaction calls `hold`. */
  async requireLive(appId: AppId): Promise<void> {
    await this.directory.requireLive(appId);
  }

  /** `field` is the one that the module registered in `ModuleSettings`. */
  async moduleSettings<S extends object>(appId: AppId, field: string): Promise<S | null> {
    const { moduleSettings } = await this.settings(appId);
    return (moduleSettings[field] as S | undefined) ?? null;
  }

  /** For rows of a module that are settings of an app: read from memory, at most half a second old. */
  remembering<K extends readonly string[], V extends object>(
    load: (...key: K) => Promise<V | null>,
  ): (...key: K) => DataOf<V> | null | Promise<DataOf<V> | null> {
    return this.directory.remembering(load);
  }

  changed(): void {
    this.directory.changed();
  }

  async connection(appId: AppId, provider: string): Promise<OpenedConnection | null> {
    const found = await this.connections.ofProvider(appId, provider);
    return found && this.opened(found);
  }

  async connectionOf(appId: AppId, id: OauthConnectionId): Promise<OpenedConnection> {
    return this.opened(await this.connections.get(appId, id));
  }

  async connectionNames(appId: AppId): Promise<readonly Pick<OauthConnection, 'id' | 'provider'>[]> {
    return (await this.connections.list(appId, { limit: MOST_CONNECTIONS })).items;
  }

  /** A connection that was used before needs no query. */
  appOfConnection(id: OauthConnectionId): Promise<AppId | null> {
    return this.connections.appOf(id);
  }

  /** For callbacks of providers, which name no app. Null also if the app was deleted. */
  async connectionById(id: OauthConnectionId): Promise<OpenedConnection | null> {
    const found = await this.connections.ofAnyApp(id);
    return found && this.opened(found);
  }

  /** The requested URL in canonical form if it is registered, or the app's default if none was requested. */
  async redirectUrl(appId: AppId, kind: RedirectKind, asked?: string): Promise<string> {
    if (asked === undefined) {
      const standard = await this.redirectUrls.defaultOf(appId, kind);
      if (standard === null) throw new NoDefaultRedirectUrl(kind);
      return standard;
    }
    const canonical = canonicalRedirectUrl(asked);
    if (canonical === null || !(await this.redirectUrls.has(appId, kind, canonical))) throw new InvalidRedirectUrl();
    return canonical;
  }

  /** The URL while it is registered, else the app's default of the kind. */
  async currentRedirectUrl(appId: AppId, kind: RedirectKind, url: string): Promise<string> {
    return (await this.redirectUrls.has(appId, kind, url)) ? url : this.redirectUrl(appId, kind);
  }

  /** The names of keys of the app and of management keys, also of revoked ones. */
  async keyNames(appId: AppId, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const found = await Promise.all([this.managementKeys.namesOf(ids), this.apiKeys.namesOf(appId, ids)]);
    return new Map(found.flat());
  }

  async endKeysBoundTo(appId: AppId, userId: UserId, walletIds: readonly WalletId[]): Promise<void> {
    for (const id of await this.apiKeys.revokeBound(appId, userId, walletIds))
      await this.events.publish(new KeyRevoked(appId, { key_id: id }));
  }

  /** Keeps the app, also one that SQL has altered, from being deleted until the current transaction ends. */
  async hold(appId: AppId): Promise<void> {
    await this.apps.hold(appId);
  }

  /**
   * Begins the next signing revision of the app, because the caller's transaction changes which uses of its wallets' keys are allowed.
   * Transactions that sign end before, and those that knew the revision before run again. With `frozenAt` they sign nothing from now on, with null they sign again. Returns the app
   * after the change. `locked` is what `lockSigning` or `lockToStop` has returned, and the caller has stored its change since. Throws `AppNotFound`.
   */
  async changeSigning(locked: SigningApp, frozenAt?: Date | null): Promise<SigningApp> {
    const changed = (await this.apps.lockForDeletion(locked.id)).changeSigning(frozenAt);
    await this.apps.updateSigning(changed, locked);
    return changed;
  }

  /** The caller has locked the app and begins another signing revision. `isFirst`: the app has never had a policy. */
  async changeCover(appId: AppId, isCovered: boolean, isFirst: boolean): Promise<void> {
    const app = await this.apps.lockForDeletion(appId);
    const changed = app.changeCover(isCovered, isFirst);
    if (changed !== app) await this.apps.update(changed);
  }

  /** Excludes transactions that sign until this one ends. Throws `SealAltered` if SQL has altered the app, its policies or its freezes. */
  async lockSigning(appId: AppId): Promise<SigningApp> {
    const app = await this.apps.lockSigning(appId);
    this.apps.assertUnaltered(app);
    return app;
  }

  /** Like `lockSigning`, for changes that stop signatures: an app that SQL has altered passes, and stays altered. */
  async lockToStop(appId: AppId): Promise<SigningApp> {
    return this.apps.lockSigning(appId);
  }

  /** Lets one transaction at a time change the app and its objects. */
  async lock(appId: AppId): Promise<SigningApp> {
    return this.apps.lock(appId);
  }

  audit(by: Requester, appId: AppId, action: string, targetId: string, fields?: readonly string[]): Promise<void> {
    return this.auditLog.add(by, appId, action, targetId, fields);
  }

  /** Holds the app, runs an operator's change of it and enters the change into the audit log, in one transaction. */
  audited<T>({ by, appId, action, target, fields }: AuditedChange<T>, change: () => Promise<T>): Promise<T> {
    return this.transactions.run(async () => {
      await this.hold(appId);
      const result = await change();
      await this.audit(by, appId, action, typeof target === 'string' ? target : target(result), fields);
      return result;
    });
  }

  private async opened(connection: OauthConnection): Promise<OpenedConnection> {
    await this.secrets.ready(connection.appId);
    const { id, appId, provider, clientId, issuer, teamId, keyId, trustsEmail, emailDomains, userinfo } = connection;
    const settings = { id, appId, provider, clientId, issuer, teamId, keyId, trustsEmail, emailDomains, userinfo };
    return { ...settings, sendsPkce: connection.sendsPkce(), ...this.secrets.open(connection) };
  }
}
