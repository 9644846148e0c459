import type { AppId, ApproverGroupId, IdKind, PolicyId } from '../../../../kernel/ids.js';

export const OPERATIONS = ['transfer', 'sign_message', 'sign_typed_data', 'sign_transaction', 'export'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const EFFECTS = ['allow', 'deny', 'require_approval'] as const;
export type Effect = (typeof EFFECTS)[number];

export const SCOPE_KINDS = ['app', 'wallet', 'user', 'key', 'client', 'grant'] as const;
export type ScopeKind = (typeof SCOPE_KINDS)[number];

/** A policy judges the requests of the app, a wallet, a user's wallets, a key, or the tokens of a client or of a grant. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly id: string;
}

export const SCOPE_IDS = {
  app: 'app',
  wallet: 'wallet',
  user: 'user',
  key: 'key',
  client: 'oauthClient',
  grant: 'grant',
} as const satisfies Record<ScopeKind, IdKind>;

/** Such a policy judges only calls with access tokens: it can only narrow what they may do. */
export function isOfTokens({ scope: { kind } }: Pick<Policy, 'scope'>): boolean {
  return kind === 'client' || kind === 'grant';
}

export const POLICY_STATES = ['draft', 'active', 'retired'] as const;
export type PolicyState = (typeof POLICY_STATES)[number];

export interface AssetOnNetwork {
  /** The name of a configured network, or the CAIP-2 id of another one. */
  readonly network: string;
  /** The contract or mint in its canonical form; null for the coin. */
  readonly token: string | null;
}

/** The asset as it was when the version was stored: a token that is renamed later stays the same token. */
export interface PolicyAsset extends AssetOnNetwork {
  readonly currency: string;
  readonly decimals: number;
}

/** Each condition must hold; null always holds. */
export interface Match {
  readonly operations: readonly Operation[] | null;
  readonly networks: readonly string[] | null;
  readonly assets: readonly PolicyAsset[] | null;
  readonly destinations: readonly string[] | null;
  /** Inclusive bounds in smallest units of the one asset in `assets`. */
  readonly amount: { readonly min: bigint | null; readonly max: bigint | null } | null;
}

export const WINDOWS_PER = ['policy', 'destination'] as const;

/** The period is (t - seconds, t]. `maxAmount` is in smallest units of the one asset in `assets`. */
export interface Window {
  readonly seconds: number;
  readonly maxAmount: bigint | null;
  readonly maxCount: number | null;
  /** All requests count together, or those to each destination apart. */
  readonly per: (typeof WINDOWS_PER)[number];
}

export interface ApprovalTerms {
  readonly group: ApproverGroupId;
  readonly count: number;
  readonly expiresIn: number;
}

export interface Rule {
  /** The id is unique in the version. Windows are counted by the policy's name and this id, so a new version refills no budget. */
  readonly id: string;
  readonly effect: Effect;
  readonly match: Match;
  readonly windows: readonly Window[];
  readonly approvals: ApprovalTerms | null;
  /** It stands for a restricting rule that names a network that is not configured. It is not stored. */
  readonly namesUnknownNetwork?: boolean;
}

export function networksOf({ match: { networks, assets } }: Rule): readonly string[] {
  return [...(networks ?? []), ...(assets ?? []).map(({ network }) => network)];
}

export interface Policy {
  readonly appId: AppId;
  readonly id: PolicyId;
  readonly name: string;
  readonly version: number;
  readonly state: PolicyState;
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  /** CAIP-2 names of the networks in the rules, by the configuration at the time when the version was stored. */
  readonly networkIds: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
}

/** Names are replaced by CAIP-2 names, because another network may have the name since. */
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

export interface SigningState {
  /** Empty: the app never had a policy. */
  readonly revision: string;
  readonly isFrozen: boolean;
  readonly frozenIds: ReadonlySet<string>;
  readonly policies: readonly Policy[];
  /** The caller has a budget that is no more in force. */
  readonly isClosed?: boolean;
}

/** Decisions, spends and ended approvals are kept as long as the longest window counts, and two months more. */
export const KEPT = '90 days';

/** They bound the work of each signature. */
export const BOUNDS = {
  rules: 50,
  windows: 10,
  /** Items of a list of a rule, and members of an approver group. */
  members: 100,
  bytes: 65_536,
  seconds: { min: 60, max: 2_592_000 },
  counts: { min: 1, max: 1_000_000 },
  /** Each rule judges each move of a payload. */
  moves: 64,
  /** Further denials of one key by one rule in a minute are only counted. */
  denialsPerMinute: 100,
  factBytes: 2_048,
  active: 20,
  /** Windows of all items of a batch together: as many as one transfer may have. */
  windowsOfBatch: 10_000,
  versions: 1_000,
  groups: 100,
  /** The bound is per key or operator, so that none can hinder the requests of another. */
  openApprovals: 1_000,
} as const;
