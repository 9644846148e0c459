import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { AppsFacade } from '../../apps/index.js';
import { Networks } from '../domain/networks.js';
import { type Match, networksOf, type Policy, type Rule, type SigningState } from '../domain/policy.js';
import { PolicyRepository } from '../domain/policy.repository.js';

const APPS = 1_000;
const EVERYTHING: Match = { operations: null, networks: null, assets: null, destinations: null, amount: null };
const NEVER_CHANGED: SigningState = { revision: '', isFrozen: false, frozenIds: new Set(), policies: [] };

/**
 * Keeps the signing states of apps in memory. One that is out of date does no harm: it is used for the revision that the app's settings
 * name, and a transaction that signs holds that revision or fails.
 */
@Injectable()
export class SigningStates {
  private readonly states = new RecentlyUsed<AppId, SigningState>(APPS);

  constructor(
    private readonly apps: AppsFacade,
    private readonly stored: PolicyRepository,
    private readonly networks: Networks,
    private readonly log: Log,
  ) {}

  /** With `isAgain` it is read, because a transaction has failed with the state in memory. Throws `AppNotFound`. */
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

  private withNames(policy: Policy): Policy {
    return { ...policy, rules: policy.rules.map((rule) => this.named(rule, policy)) };
  }

  /** A network that a rule names by its id may have been configured since. Then facts have its name. */
  private named(rule: Rule, { appId, id: policyId }: Policy): Rule {
    const { nameOf, walletTypeOf } = this.networks;
    const { networks, assets } = rule.match;
    const match = {
      ...rule.match,
      networks: networks?.map(nameOf) ?? null,
      assets: assets?.map((asset) => ({ ...asset, network: nameOf(asset.network) })) ?? null,
    };
    const unknown = networksOf({ ...rule, match }).find((name) => !name.includes(':') && !walletTypeOf(name));
    if (unknown === undefined || rule.effect === 'allow') return { ...rule, match };
    this.log.warn(
      { app_id: appId, policy_id: policyId, rule_id: rule.id, network: unknown },
      'a rule names a network that is not configured: every request in the scope of its policy is denied',
    );
    // The network may be configured under another name, where the rule would restrict nothing.
    return { ...rule, effect: 'deny', match: EVERYTHING, windows: [], approvals: null, namesUnknownNetwork: true };
  }
}
