import type { AppId, GrantId, PolicyId, UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Policy, PolicyState, Scope, ScopeKind, SigningState } from './policy.js';

/** A version before it is stored. */
export type NewPolicy = Pick<Policy, 'appId' | 'id' | 'name' | 'scope' | 'rules'>;

/** A filter of listed versions; all of them are listed if it is empty. */
export interface PolicyFilter {
  readonly state?: PolicyState | undefined;
  readonly name?: string | undefined;
  readonly scopeKind?: ScopeKind | undefined;
  readonly scopeId?: string | undefined;
}

/** The versions of policies. The app is locked while they are changed, so that one caller at a time does so. */
export abstract class PolicyRepository {
  /** Stores a draft as the next version of its name. */
  abstract add(policy: NewPolicy): Promise<Policy>;

  /** Binds the names of networks in rules that are not bound yet to the CAIP-2 names that the configuration has for them. */
  abstract bindNetworks(): Promise<void>;

  /** The policies of a grant in all states. Throws `SealAltered`. */
  abstract ofGrant(appId: AppId, id: GrantId): Promise<readonly Policy[]>;

  /** Keeps these policies in force until the transaction ends. False if one is not any more. */
  abstract holdActive(appId: AppId, ids: readonly PolicyId[]): Promise<boolean>;

  /** The number of stored versions of all names, without those of grants. */
  abstract count(appId: AppId): Promise<number>;

  /**
   * Removes the oldest version that is not in force and that no kept decision, approval or open change refers to. Returns false if there is
   * none.
   */
  abstract removeOldest(appId: AppId): Promise<boolean>;

  /** Throws `PolicyNotFound`. */
  abstract get(appId: AppId, id: PolicyId): Promise<Policy>;

  /** Like `get`. A version that SQL has altered is one without rules. */
  abstract getToRetire(appId: AppId, id: PolicyId): Promise<Policy>;

  /** Lists versions, newest first. */
  abstract list(appId: AppId, page: PageRequest, filter: PolicyFilter): Promise<Page<Policy>>;

  /** The active versions, sorted by name, without those of grants. */
  abstract activeOf(appId: AppId): Promise<readonly Policy[]>;

  /** Whether a version is in force, altered or not, without those over access tokens. */
  abstract hasActive(appId: AppId): Promise<boolean>;

  /** Whether a stored version is or was in force, without those over access tokens. */
  abstract hasHadOne(appId: AppId): Promise<boolean>;

  /** The state as it is stored now. Throws nothing for an unknown app: it has no policies. */
  abstract signingState(appId: AppId): Promise<SigningState>;

  /** Puts the version in force. No other version of its name may be active. */
  abstract activate(appId: AppId, id: PolicyId): Promise<Policy>;

  /** A version that SQL has altered stays altered. Throws `PolicyNotFound`, also if it is not of the scope, where one is given. */
  abstract retire(appId: AppId, id: PolicyId, scope?: Scope): Promise<Policy>;

  /** Whether the wallet is one of the user's. */
  abstract ownsWallet(appId: AppId, userId: UserId, walletId: string): Promise<boolean>;

  /** Whether the app is the one of the scope, or has its wallet, user or key. */
  abstract hasScope(appId: AppId, scope: Scope): Promise<boolean>;
}
