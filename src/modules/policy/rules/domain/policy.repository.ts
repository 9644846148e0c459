import type { AppId, GrantId, PolicyId, UserId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { Policy, PolicyState, Scope, ScopeKind, SigningState } from './policy.js';

export type NewPolicy = Pick<Policy, 'appId' | 'id' | 'name' | 'scope' | 'rules'>;

export interface PolicyFilter {
  readonly state?: PolicyState | undefined;
  readonly name?: string | undefined;
  readonly scopeKind?: ScopeKind | undefined;
  readonly scopeId?: string | undefined;
}

/** The app is locked while they are changed, so that one caller at a time does so. */
export abstract class PolicyRepository {
  abstract add(policy: NewPolicy): Promise<Policy>;

  /** Binds unbound names of networks in rules to the CAIP-2 names of the configuration. */
  abstract bindNetworks(): Promise<void>;

  abstract ofGrant(appId: AppId, id: GrantId): Promise<readonly Policy[]>;

  /** Keeps these in force until the transaction ends. False if one is not any more. */
  abstract holdActive(appId: AppId, ids: readonly PolicyId[]): Promise<boolean>;

  /** The number of versions, without those of grants. */
  abstract count(appId: AppId): Promise<number>;

  /** Removes the oldest version that is not in force and that no kept decision, approval or open change refers to. */
  abstract removeOldest(appId: AppId): Promise<boolean>;

  abstract get(appId: AppId, id: PolicyId): Promise<Policy>;

  /** A version that SQL has altered has no rules here. */
  abstract getToRetire(appId: AppId, id: PolicyId): Promise<Policy>;

  abstract list(appId: AppId, page: PageRequest, filter: PolicyFilter): Promise<Page<Policy>>;

  /** The active versions, sorted by name, without those of grants. */
  abstract activeOf(appId: AppId): Promise<readonly Policy[]>;

  /** Counts altered versions too, but none over access tokens. */
  abstract hasActive(appId: AppId): Promise<boolean>;

  /** Counts none over access tokens. */
  abstract hasHadOne(appId: AppId): Promise<boolean>;

  abstract signingState(appId: AppId): Promise<SigningState>;

  /** It is read also where SQL has altered the state. */
  abstract signingRevision(appId: AppId): Promise<string>;

  /** No other version of its name may be active. */
  abstract activate(appId: AppId, id: PolicyId): Promise<Policy>;

  /** An altered version stays altered. Throws `PolicyNotFound`, also if it is not of the given scope. */
  abstract retire(appId: AppId, id: PolicyId, scope?: Scope): Promise<Policy>;

  abstract ownsWallet(appId: AppId, userId: UserId, walletId: string): Promise<boolean>;

  abstract hasScope(appId: AppId, scope: Scope): Promise<boolean>;
}
