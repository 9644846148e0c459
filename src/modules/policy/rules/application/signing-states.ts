import { Injectable } from '@nestjs/common';
import type { AppId, GrantId } from '../../../../kernel/ids.js';
import { Log } from '../../../../kernel/log.js';
import { ObjectOwners } from '../../../../kernel/object-owners.js';
import { RecentlyUsed } from '../../../../kernel/recently-used.js';
import { AppsFacade } from '../../../apps/index.js';
import { Networks } from '../domain/networks.js';
import { type Match, networksOf, type Policy, type Rule, rulesByIds, type SigningState } from '../domain/policy.js';
import { PolicyRepository } from '../domain/policy.repository.js';

const APPS = 1_000;
const EVERYTHING: Match = { operations: null, networks: null, assets: null, destinations: null, amount: null };
const NEVER_CHANGED: SigningState = { revision: '', isFrozen: false, frozenIds: new Set(), policies: [] };

/**
 * A state in memory that is out of date does no harm: it is used for the revision that the app's settings name, and a transaction that
 * signs holds that revision or fails.
 */
@Injectable()
export class SigningStates {
  private readonly states = new RecentlyUsed<AppId, SigningState>(APPS);

  constructor(
    private readonly apps: AppsFacade,
    private readonly stored: PolicyRepository,
    private readonly networks: Networks,
    private readonly owners: ObjectOwners,
    private readonly log: Log,
  ) {}

  /** `isAgain`: a transaction has failed with the state in memory, so it is read. */
  async of(appId: AppId, isAgain: boolean): Promise<SigningState> {
    const { signingRevision } = await this.apps.settings(appId);
    if (!isAgain) {
      if (signingRevision === '') return NEVER_CHANGED;
      const known = this.states.get(appId);
      if (known?.revision === signingRevision) return known;
    }
    const { policies, ...rest } = await this.stored.signingState(appId);
    const state = { ...rest, policies: policies.map((policy) => this.withNames(policy)) };
    this.states.set(appId, state);
    return state;
  }

  /** It is read also of an app that SQL has altered. */
  storedRevision(appId: AppId): Promise<string> {
    return this.stored.signingRevision(appId);
  }

  /** Null if the grant has no budget. Not kept in memory: an app may have any number of grants. */
  async ofGrant(appId: AppId, id: GrantId): Promise<readonly Policy[] | null> {
    const policies = await this.stored.ofGrant(appId, id);
    if (policies.length === 0) return null;
    return policies.filter(({ state }) => state === 'active').map((policy) => this.withNames(policy));
  }

  /** Neither the budgets nor their grant end until the transaction ends. False if one has ended. The end of a grant takes it first, too. */
  async hold(appId: AppId, budgets: readonly Policy[]): Promise<boolean> {
    for (const grantId of new Set(budgets.map(({ scope }) => scope.id!)))
      if ((await this.owners.hold(appId, grantId)) === null) return false;
    return this.stored.holdActive(
      appId,
      budgets.map(({ id }) => id),
    );
  }

  private withNames(policy: Policy): Policy {
    const ids = new Set(Object.values(policy.networkIds));
    return { ...policy, rules: rulesByIds(policy).map((rule) => this.named(rule, ids, policy)) };
  }

  /**
   * `boundIds`: the networks that the names of the version meant. A named network that is not configured matches nothing; one that was
   * named by its id before it was configured matches its name later.
   */
  private named(rule: Rule, boundIds: ReadonlySet<string>, { appId, id: policyId }: Policy): Rule {
    const { ids, nameOf, walletTypeOf } = this.networks;
    const isGone = (network: string): boolean =>
      boundIds.has(network) ? !walletTypeOf(nameOf(network)) : !network.includes(':') && ids[network] === undefined;
    const { networks, assets } = rule.match;
    const gone = networksOf(rule).find(isGone);
    if (gone === undefined || rule.effect === 'allow') {
      const there = (network: string): boolean => !isGone(network);
      const match = {
        ...rule.match,
        networks: networks?.filter(there).map(nameOf) ?? null,
        assets:
          assets
            ?.filter(({ network }) => there(network))
            .map((asset) => ({ ...asset, network: nameOf(asset.network) })) ?? null,
      };
      return { ...rule, match };
    }
    this.log.warn(
      { app_id: appId, policy_id: policyId, rule_id: rule.id, network: gone },
      'a rule names a network that is not configured: every request in the scope of its policy is denied',
    );
    return { ...rule, effect: 'deny', match: EVERYTHING, windows: [], approvals: null, namesUnknownNetwork: true };
  }
}
