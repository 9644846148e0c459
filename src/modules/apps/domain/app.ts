import { randomUUID } from 'node:crypto';
import type { ChainName, DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import { type AppLimits, limitsInForce } from './app-limits.js';
import type { AppMode } from './app-mode.js';
import type { AcceptedPayments } from './accepted-payments.js';
import { type AppAsset, uniquelyNamed, isBounding, type TransferPolicy } from './transfer-policy.js';
import { type AppMessages, type AppMessagesChanges, changeMessages } from './app-messages.js';
import { InvalidAllowedOrigin } from './apps.errors.js';
import type { SettingChanges, StoredSettings } from './module-settings.js';
import type { SigningPolicy } from './signing-policy.js';
import { stepUpInForce, type StepUpSettings } from './step-up-settings.js';
import { isTrustworthy } from './web-address.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** The settings in force: limits are completed with their defaults. */
export interface AppSettings {
  readonly id: AppId;
  readonly name: string;
  readonly mode: AppMode;
  readonly defaultWalletType: DefaultWalletType;
  readonly allowedOrigins: readonly string[];
  readonly limits: AppLimits;
  readonly assets: readonly AppAsset[];
  /** Null: the standard networks. */
  readonly networks: readonly ChainName[] | null;
  readonly transferPolicy: TransferPolicy;
  readonly signingPolicy: SigningPolicy;
  readonly acceptConfirmed: AcceptedPayments;
  readonly oauthBegin: OauthBegin;
  readonly stepUp: StepUpSettings;
  readonly approverPasskeyHours: number;
  readonly moduleSettings: StoredSettings;
  /** Another random text after each change of the rules for its wallets' keys; empty before the first change. */
  readonly signingRevision: string;
}

export const OAUTH_BEGINS = ['any', 'bound'] as const;

/** With `bound`, a login through a provider begins only if its end can be tied to the browser that began it. */
export type OauthBegin = (typeof OAUTH_BEGINS)[number];

/** `null` restores the default, or removes a bound. */
export interface AppChanges {
  readonly name?: string;
  readonly defaultWalletType?: DefaultWalletType;
  readonly allowedOrigins?: readonly string[];
  readonly limits?: { readonly [K in keyof AppLimits]?: AppLimits[K] | null };
  readonly messages?: AppMessagesChanges;
  readonly assets?: readonly AppAsset[];
  readonly networks?: readonly ChainName[] | null;
  /** A bound that is set closes the signing policy, unless the same changes state otherwise. */
  readonly transferPolicy?: { readonly [K in keyof TransferPolicy]: TransferPolicy[K] | null };
  readonly signingPolicy?: { readonly [K in keyof Omit<SigningPolicy, 'defaultMessages'>]: SigningPolicy[K] | null };
  readonly acceptConfirmed?: (assets: readonly AppAsset[]) => AcceptedPayments;
  readonly oauthBegin?: OauthBegin;
  readonly stepUp?: { readonly [K in keyof StepUpSettings]?: StepUpSettings[K] | null };
  readonly approverPasskeyHours?: number | null;
  readonly moduleSettings?: SettingChanges;
}

/** The container of everything: users, keys and settings belong to exactly one app. Deleting one leaves a tombstone. */
export class App {
  declare readonly id: AppId;
  declare readonly name: string;
  /** The mode never changes: test keys and live keys belong to different apps. */
  declare readonly mode: AppMode;
  declare readonly defaultWalletType: DefaultWalletType;
  declare readonly allowedOrigins: readonly string[];
  /** The limits that the app has set. Defaults are not stored, so that a default may change later. */
  declare readonly limits: Partial<AppLimits>;
  declare readonly messages: AppMessages;
  declare readonly assets: readonly AppAsset[];
  declare readonly networks: readonly ChainName[] | null;
  declare readonly transferPolicy: TransferPolicy;
  declare readonly signingPolicy: SigningPolicy;
  declare readonly acceptConfirmed: AcceptedPayments;
  declare readonly oauthBegin: OauthBegin;
  declare readonly stepUp: Partial<StepUpSettings>;
  declare readonly approverPasskeyHours: number | null;
  declare readonly moduleSettings: StoredSettings;
  declare readonly signingRevision: string;
  declare readonly frozenAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;
  declare readonly deletedAt: Date | null;

  private constructor(data: DataOf<App>) {
    Object.assign(this, data);
  }

  static create(
    mode: AppMode,
    settings: AppChanges & { readonly name: string },
    now: Date,
    id: AppId = newId('app'),
  ): App {
    const blank = new App({
      id,
      name: settings.name,
      mode,
      defaultWalletType: 'ethereum',
      allowedOrigins: [],
      limits: {},
      messages: {},
      assets: [],
      networks: null,
      transferPolicy: {},
      signingPolicy: mode === 'live' ? { typedData: 'listed' } : {},
      acceptConfirmed: {},
      oauthBegin: 'any',
      stepUp: {},
      approverPasskeyHours: null,
      moduleSettings: {},
      signingRevision: '',
      frozenAt: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    // A new app has no setting that null could clear: null stands for an absent member here.
    return blank.change({ ...settings, signingPolicy: merged({}, settings.signingPolicy) }, now);
  }

  change(changes: AppChanges, now: Date): App {
    const {
      name,
      defaultWalletType,
      allowedOrigins,
      limits,
      messages,
      assets,
      networks,
      transferPolicy,
      signingPolicy,
    } = changes;
    const allAssets = assets ? uniquelyNamed(assets) : this.assets;
    return evolve<App>(this, {
      name: name ?? this.name,
      defaultWalletType: defaultWalletType ?? this.defaultWalletType,
      allowedOrigins: allowedOrigins
        ? [...new Set(allowedOrigins.map((text) => origin(text, this.mode)))]
        : this.allowedOrigins,
      limits: merged(this.limits, limits),
      messages: messages ? changeMessages(this.messages, messages) : this.messages,
      assets: allAssets,
      networks: networks === undefined ? this.networks : networks && [...new Set(networks)],
      transferPolicy: withNetworksOf(this.transferPolicy, merged(this.transferPolicy, transferPolicy)),
      signingPolicy: merged(this.signingPolicy, {
        ...(isBounding(transferPolicy ?? {}) && CLOSED),
        ...signingPolicy,
      }),
      acceptConfirmed: changes.acceptConfirmed?.(allAssets) ?? this.acceptConfirmed,
      oauthBegin: changes.oauthBegin ?? this.oauthBegin,
      stepUp: merged(this.stepUp, changes.stepUp),
      approverPasskeyHours: passkeyHours(this, changes.approverPasskeyHours),
      moduleSettings: changed(this.moduleSettings, changes.moduleSettings),
      updatedAt: now,
    });
  }

  /** A revision is random, because a database that was restored would count to the same number with other policies. */
  changeSigning(frozenAt: Date | null | undefined): App {
    const since = frozenAt === undefined ? this.frozenAt : frozenAt && (this.frozenAt ?? frozenAt);
    return evolve<App>(this, { signingRevision: randomUUID(), frozenAt: since });
  }

  changeCover(isCovered: boolean, isFirst: boolean): App {
    const { defaultMessages: current } = this.signingPolicy;
    const defaultMessages = isCovered ? 'text' : 'any';
    if (current === defaultMessages || (current === undefined && !isFirst)) return this;
    return evolve<App>(this, { signingPolicy: { ...this.signingPolicy, defaultMessages } });
  }

  delete(now: Date): App {
    return evolve<App>(this, { deletedAt: now, updatedAt: now });
  }
}

/** An exported key, typed data that moves value, or a hash signed as a message would evade every bound on payments. */
const CLOSED: SigningPolicy = { typedData: 'listed', messages: 'text', allowsExport: false };

/** The hours after which an approver's later passkey votes. Only a test app may have 0. */
export const APPROVER_PASSKEY_HOURS = { min: 0, max: 720, standard: 24 } as const;

function passkeyHours({ mode, approverPasskeyHours }: App, hours: number | null | undefined): number | null {
  if (hours === 0 && mode === 'live') {
    const message = 'must be at least 1 for a live app';
    throw new InvalidRequest([{ field: 'approver_passkey_hours', rule: 'min', message }]);
  }
  return hours === undefined ? approverPasskeyHours : hours;
}

export function settingsOf(stored: Pick<App, keyof AppSettings>): AppSettings {
  return {
    ...stored,
    approverPasskeyHours: stored.approverPasskeyHours ?? APPROVER_PASSKEY_HOURS.standard,
    limits: limitsInForce(stored.mode, stored.limits),
    stepUp: stepUpInForce(stored.stepUp),
  };
}

/** With READ_ONLY, signing revisions end with it. No row has such a revision, so no transaction signs, not even a cancellation. */
export const READ_ONLY_END = 'read-only';

function merged<T extends object>(settings: T, changes: { readonly [K in keyof T]?: T[K] | null } = {}): T {
  const all = Object.entries({ ...settings, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)) as T;
}

/** A name that stays bounded keeps each network that it named, also when it is sent again and names another one by then. */
function withNetworksOf({ networkIds: earlier = {} }: TransferPolicy, policy: TransferPolicy): TransferPolicy {
  const { networkIds: now = {} } = policy;
  const bounded = Object.keys({ ...policy.maxAmounts, ...policy.maxFees });
  const ids = bounded.map((name) => [name, [...new Set([...(earlier[name] ?? []), ...(now[name] ?? [])])]] as const);
  const named = ids.filter(([, each]) => each.length > 0);
  return merged(policy, { networkIds: named.length > 0 ? Object.fromEntries(named) : null });
}

function changed(stored: StoredSettings, changes: SettingChanges = {}): StoredSettings {
  const next = Object.entries(changes).map(([field, change]) => [field, change(stored[field] ?? null)]);
  return merged(stored, Object.fromEntries(next) as Record<string, object | null>);
}

/** Browsers send the origin in this one form, so it is compared as text: no paths, no wildcards, no trailing slash. */
function origin(text: string, mode: AppMode): string {
  if (!URL.canParse(text)) throw new InvalidAllowedOrigin();
  const url = new URL(text);
  if (url.origin !== text || !isTrustworthy(url, mode)) throw new InvalidAllowedOrigin();
  return text;
}

export interface AppFilter {
  /** A part of the name, in upper or lower case. */
  readonly name?: string;
}

/** The apps that are not deleted. */
export abstract class AppRepository {
  abstract insert(app: App): Promise<void>;

  abstract get(id: AppId): Promise<App>;

  /** Keeps the app from being deleted until the transaction ends. Holders do not exclude each other. An app that SQL has altered passes. */
  abstract hold(id: AppId): Promise<void>;

  /** Like `get`, and locks the app and its default redirect URLs until the transaction ends. */
  abstract lock(id: AppId): Promise<App>;

  /**
   * Like `lock`, and waits for transactions that hold the app, such as payments, until they end. A row that SQL has altered passes, and what is
   * stored of it stays altered.
   */
  abstract lockForDeletion(id: AppId): Promise<App>;

  /** Like `lockForDeletion`, and locks the policies and freezes in force, so that SQL takes none out of force after the comparison. */
  abstract lockSigning(id: AppId): Promise<App>;

  /**
   * Stores the next state of a locked app. It takes effect on this replica at once, on every other replica within half
   * a second.
   */
  abstract update(app: App): Promise<void>;

  /** Like `update`, for an app with another signing revision. `locked` is what `lockSigning` has returned, and what is in force was changed since. */
  abstract updateSigning(app: App, locked?: Pick<App, 'id'>): Promise<void>;

  /** Throws `SealAltered` unless what `lockSigning` has returned, and what was in force, is as the service stored it. */
  abstract assertUnaltered(locked: Pick<App, 'id'>): void;

  abstract list(page: PageRequest, filter?: AppFilter): Promise<Page<App>>;

  abstract isEmpty(): Promise<boolean>;
}

/** Settings of apps as every request asks for them: from memory, at most half a second old. */
export abstract class AppDirectory {
  abstract settings(appId: AppId): AppSettings | Promise<AppSettings>;

  abstract tokensOn(chain: ChainName): Promise<readonly string[]>;

  /** Reads other data of apps as settings are read: from memory, at most half a second old, forgotten with `changed`. */
  abstract remembering<K extends readonly string[], V extends object>(
    load: (...key: K) => Promise<V | null>,
  ): (...key: K) => DataOf<V> | null | Promise<DataOf<V> | null>;

  /** Empties this replica's caches once the current transaction has committed. */
  abstract changed(): void;

  async requireLive(appId: AppId): Promise<void> {
    await this.settings(appId);
  }
}
