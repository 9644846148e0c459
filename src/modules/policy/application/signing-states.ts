import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { AppsFacade } from '../../apps/index.js';
import { Networks } from '../domain/networks.js';
import type { Policy } from '../domain/policy.js';
import { type SigningState, SigningStateRepository } from '../domain/signing-state.js';

const APPS = 1_000;
const NEVER_CHANGED: SigningState = { revision: '', isFrozen: false, policies: [] };

/**
 * Keeps the signing states of apps in memory. One that is out of date does no harm: it is used for the revision that the app's settings
 * name, and a transaction that signs holds that revision or fails.
 */
@Injectable()
export class SigningStates {
  private readonly states = new RecentlyUsed<AppId, SigningState>(APPS);

  constructor(
    private readonly apps: AppsFacade,
    private readonly stored: SigningStateRepository,
    private readonly networks: Networks,
  ) {}

  /** With `isAgain` it is read, because a transaction has failed with the state in memory. Throws `AppNotFound`. */
  async of(appId: AppId, isAgain: boolean): Promise<SigningState> {
    const { signingRevision } = await this.apps.settings(appId);
    if (!isAgain) {
      if (signingRevision === '') return NEVER_CHANGED;
      const known = this.states.get(appId);
      if (known?.revision === signingRevision) return known;
    }
    const { policies, ...rest } = await this.stored.load(appId);
    const state = { ...rest, policies: policies.map((policy) => this.withNames(policy)) };
    this.states.set(appId, state);
    return state;
  }

  /** A network that a rule names by its id may have been configured since. Then facts have its name. */
  private withNames(policy: Policy): Policy {
    const rules = policy.rules.map((rule) => {
      const networks = rule.match.networks?.map((network) => this.networks.nameOf(network)) ?? null;
      return { ...rule, match: { ...rule.match, networks } };
    });
    return { ...policy, rules };
  }
}
