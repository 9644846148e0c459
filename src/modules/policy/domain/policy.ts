import type { AppId, ApproverGroupId, IdKind, PolicyId } from '../../../kernel/ids.js';

/** The uses of a wallet's key that a rule can name. */
export const OPERATIONS = ['transfer', 'sign_message', 'sign_typed_data', 'sign_transaction', 'export'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const EFFECTS = ['allow', 'deny', 'require_approval'] as const;
export type Effect = (typeof EFFECTS)[number];

export const SCOPE_KINDS = ['app', 'wallet', 'user', 'key', 'client', 'grant'] as const;
export type ScopeKind = (typeof SCOPE_KINDS)[number];

/**
 * The requests that a policy judges: all of the app, those of a wallet, of the wallets of a user, by a key of the app, or with access tokens
 * of an OAuth client or of a grant. The consent to a budget makes the policy of a grant.
 */
export interface Scope {
  readonly kind: ScopeKind;
  /** The id of the app, wallet, user, key, client or grant. */
  readonly id: string;
}

/** The kind of the id of each scope. */
export const SCOPE_IDS = {
  app: 'app',
  wallet: 'wallet',
  user: 'user',
  key: 'key',
  client: 'oauthClient',
  grant: 'grant',
} as const satisfies Record<ScopeKind, IdKind>;

/** Whether the policy judges calls with access tokens alone. It can only narrow what they may do. */
export function isOfTokens({ scope: { kind } }: Pick<Policy, 'scope'>): boolean {
  return kind === 'client' || kind === 'grant';
}

export const POLICY_STATES = ['draft', 'active', 'retired'] as const;
export type PolicyState = (typeof POLICY_STATES)[number];

/** A coin or token on one network. */
export interface AssetOnNetwork {
  /** The name of a configured network, or the CAIP-2 id of any other one. */
  readonly network: string;
  /** The contract or mint in its canonical form; null for the coin of the network. */
  readonly token: string | null;
}

/** An asset as it was when the version was stored: a token that is renamed later stays the same token. */
export interface PolicyAsset extends AssetOnNetwork {
  /** The name that the version uses. */
  readonly currency: string;
  readonly decimals: number;
}

/** Conditions of which each must hold. An absent one (null) always holds. */
export interface Match {
  readonly operations: readonly Operation[] | null;
  readonly networks: readonly string[] | null;
  readonly assets: readonly PolicyAsset[] | null;
  /** Addresses in their canonical form. */
  readonly destinations: readonly string[] | null;
  /** Inclusive bounds on each amount that is moved, in smallest units of the one asset in `assets`. */
  readonly amount: { readonly min: bigint | null; readonly max: bigint | null } | null;
}

export const WINDOWS_PER = ['policy', 'destination'] as const;

/** The most that may be moved in each period of `seconds`, (t - seconds, t]. */
export interface Window {
  readonly seconds: number;
  /** The amount in smallest units of the one asset in `assets`. */
  readonly maxAmount: bigint | null;
  /** The number of requests. */
  readonly maxCount: number | null;
  /** Whether all requests count together, or those to each destination apart. */
  readonly per: (typeof WINDOWS_PER)[number];
}

/** The users who must agree. */
export interface ApprovalTerms {
  readonly group: ApproverGroupId;
  readonly count: number;
  /** The number of seconds after which a request that is not approved expires. */
  readonly expiresIn: number;
}

export interface Rule {
  /** The id, unique in the version. Windows are counted by the policy's name and this id, so a new version refills no budget. */
  readonly id: string;
  readonly effect: Effect;
  readonly match: Match;
  /** Empty for `deny`. */
  readonly windows: readonly Window[];
  /** Present only for `require_approval`. */
  readonly approvals: ApprovalTerms | null;
  /** Whether it stands for a rule that restricts and names a network that is not configured. It is not stored. */
  readonly namesUnknownNetwork?: boolean;
}

/** The names of networks in the conditions of a rule. */
export function networksOf({ match: { networks, assets } }: Rule): readonly string[] {
  return [...(networks ?? []), ...(assets ?? []).map(({ network }) => network)];
}

/** One version of a policy. Its rules never change. */
export interface Policy {
  readonly appId: AppId;
  readonly id: PolicyId;
  readonly name: string;
  readonly version: number;
  readonly state: PolicyState;
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  /** The CAIP-2 names of the networks that the rules name, as the configuration had them when the version was stored. */
  readonly networkIds: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
}

/** The rules with the CAIP-2 name of each network in the place of its name, which another network may have since. */
export function rulesByIds({ rules, networkIds }: Pick<Policy, 'rules' | 'networkIds'>): readonly Rule[] {
  const idOf = (name: string): string => networkIds[name] ?? name;
  return rules.map(({ match, ...rule }) => ({
    ...rule,
    match: {
      ...match,
      networks: match.networks?.map(idOf) ?? null,
      assets: match.assets?.map((asset) => ({ ...asset, network: idOf(asset.network) })) ?? null,
    },
  }));
}

/** Everything that decides which uses of the keys of an app's wallets are allowed, besides the app's settings. */
export interface SigningState {
  /** It identifies the state. Empty: the app never had a policy. */
  readonly revision: string;
  /** Whether they sign nothing. */
  readonly isFrozen: boolean;
  /** The ids of the users and wallets that sign nothing. */
  readonly frozenIds: ReadonlySet<string>;
  /** The active versions, sorted by name. */
  readonly policies: readonly Policy[];
  /** Whether the caller has a budget that is not in force any more. */
  readonly isClosed?: boolean;
}

/** The bounds of policies. They bound the work of each signature. */
export const BOUNDS = {
  rules: 50,
  windows: 10,
  /** The items of each list of a rule, and the members of an approver group. */
  members: 100,
  /** The bytes of a version's rules as they are stored. */
  bytes: 65_536,
  seconds: { min: 60, max: 2_592_000 },
  counts: { min: 1, max: 1_000_000 },
  /** The moves of one payload. Each is judged by each rule. */
  moves: 64,
  /** The denials of one key by one rule in a minute that are stored with their facts. */
  denialsPerMinute: 100,
  /** The bytes of the facts of a decision as they are stored. */
  factBytes: 2_048,
  /** The active policies of an app. */
  active: 20,
  /** The windows in which the items of a batch count, each item with all of its own: as many as one transfer may have. */
  windowsOfBatch: 10_000,
  /** The stored versions of an app. */
  versions: 1_000,
  /** The approver groups of an app. */
  groups: 100,
  /** The open approvals that one key or operator has requested: so none can hinder the requests of another. */
  openApprovals: 1_000,
} as const;
