import { Injectable } from '@nestjs/common';
import { type Asset, assetOfToken, NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import { type AppId, newId, type PolicyDecisionId, type UserId, type WalletId } from '../../../kernel/ids.js';
import { type AppSettings, AppsFacade, isBounding, type TransferPolicy } from '../../apps/index.js';
import { DecisionRepository, type NewDecision } from '../domain/decision.js';
import { candidates, evaluate } from '../domain/evaluate.js';
import type { Facts } from '../domain/facts.js';
import { factsOf, type KeyUse } from '../domain/key-use.js';
import { assertMessageSignable, assertSignable } from '../domain/message-policy.js';
import { assertAllowed, assertFeeAllowed, type PolicedPayment } from '../domain/payment-bounds.js';
import type { Policy, Scope } from '../domain/policy.js';
import {
  AppFrozen,
  ApprovalRequired,
  PolicyDenied,
  TransactionNotAllowed,
  WalletExportNotAllowed,
} from '../domain/policy.errors.js';
import { Networks } from '../domain/networks.js';
import { type SigningState, SigningStateRepository } from '../domain/signing-state.js';
import { type Counted, SpendRepository } from '../domain/spend.repository.js';
import type { RuleOfPolicy, Usage, Verdict } from '../domain/verdict.js';
import { SigningStates } from './signing-states.js';

/** A request to use a wallet's key. */
export interface SigningRequest {
  readonly appId: AppId;
  readonly wallet: { readonly id: WalletId; readonly userId: UserId };
  /** The id of the app's key that the request came with; empty for a transfer that was confirmed before keys were kept. */
  readonly keyId: string;
  /** The transfer that the key is used for; absent for a signature that is returned. */
  readonly transferId?: string;
  readonly use: KeyUse;
}

/** A request that may pass, with the policies that judge it. Only the revision that it names may decide it. */
export interface Pass {
  readonly request: SigningRequest;
  readonly operationId: string;
  readonly revision: string;
  readonly policies: readonly Policy[];
  /** Null for upkeep, which no rule judges. */
  readonly facts: Facts | null;
  /** The rules whose windows must be counted. */
  readonly counted: readonly RuleOfPolicy[];
}

const NOTHING_USED: Usage = () => ({ amount: 0n, count: 0 });
/** Resolved, so that nothing waits. The time is of spends, of which there are none. */
const NOTHING_COUNTED = Promise.resolve({ usage: NOTHING_USED, now: new Date(0) });

/**
 * Every use of a wallet's key passes here. `open` judges it from memory, before any lock. `count` and `decide` judge it again in the
 * transaction that signs, with the windows locked and the policies held.
 */
@Injectable()
export class Gate {
  constructor(
    private readonly apps: AppsFacade,
    private readonly states: SigningStates,
    private readonly stored: SigningStateRepository,
    private readonly spends: SpendRepository,
    private readonly decisions: DecisionRepository,
    private readonly networks: Networks,
  ) {}

  /**
   * Refuses a request that can never pass. With `isAgain` the transaction runs again because the policies were changed. Throws `AppFrozen`,
   * `PolicyDenied`, and the refusals of the app's `transfer_policy` and `signing_policy`.
   */
  async open(request: SigningRequest, isAgain = false): Promise<Pass> {
    const { appId, use } = request;
    const [settings, state] = [await this.apps.settings(appId), await this.states.of(appId, isAgain)];
    if (state.isFrozen) throw new AppFrozen();
    this.assertWithinSettings(settings, use);
    const { policies, facts } = subjectOf(state, request, this.networks);
    const counted = facts ? candidates(policies, facts) : [];
    const operationId = request.transferId ?? newId('policyDecision');
    const pass = { request, operationId, revision: state.revision, policies, facts, counted };
    if (facts) await this.judge(pass, NOTHING_USED);
    return pass;
  }

  /**
   * Keeps the policies from being changed until the caller's transaction ends, which runs again if they have been: sent with its next
   * statement. `WalletsFacade.holdPaying` does it too.
   */
  hold({ request: { appId }, revision }: Pass): void {
    this.stored.hold(appId, revision);
  }

  /**
   * Locks and counts the windows, in one round trip with the caller's next statement. Nothing is sent, and nothing waits, where no window
   * counts.
   */
  count({ request: { appId }, counted, facts, operationId }: Pass): Promise<Counted> {
    if (counted.length === 0) return NOTHING_COUNTED;
    return this.spends.count(appId, counted, destinationsOf(facts!), operationId);
  }

  /**
   * Decides in the transaction that signs, and stores the decision with its spends. With `isHeld` these count as held until they are
   * settled. Returns the id of the decision; null when no policy is over the request. Throws `PolicyDenied`, `ApprovalRequired`.
   */
  async decide(pass: Pass, { usage, now }: Counted, isHeld: boolean): Promise<PolicyDecisionId | null> {
    const { facts, operationId, request } = pass;
    if (!facts) return null;
    const verdict = await this.judge(pass, usage);
    if (verdict.outcome === 'require_approval') throw new ApprovalRequired(null);
    const decision = decisionOf(pass, facts, verdict);
    this.decisions.add(request.appId, decision);
    this.spends.add(request.appId, operationId, verdict.spends, now, isHeld);
    return decision.id;
  }

  /** Ends the hold of a transfer on budgets: its amount counts as spent, or is given back with the proof that nothing was paid. */
  settle(appId: AppId, transferId: string, isSpent: boolean): void {
    this.spends.settle(appId, transferId, isSpent);
  }

  private async judge(pass: Pass, usage: Usage): Promise<Exclude<Verdict, { outcome: 'deny' }>> {
    const { policies, facts, request } = pass;
    const verdict = evaluate(policies, facts!, usage, new Set());
    if (verdict.outcome !== 'deny') return verdict;
    await this.decisions.addDenial(request.appId, decisionOf(pass, facts!, verdict));
    throw new PolicyDenied(verdict);
  }

  /** The app's `transfer_policy` and `signing_policy`. */
  private assertWithinSettings({ assets, transferPolicy, signingPolicy }: AppSettings, use: KeyUse): void {
    switch (use.operation) {
      case 'transfer':
        assertPaymentAllowed(use.asset, use, assets, transferPolicy);
        if (use.fee) assertFeeAllowed(transferPolicy, use.fee);
        return;
      case 'upkeep':
        return assertFeeAllowed(transferPolicy, use.fee);
      case 'sign_message':
        return assertMessageSignable(signingPolicy, use.message);
      case 'sign_typed_data':
        return assertSignable(signingPolicy, use.typedData);
      case 'sign_transaction': {
        const { payment, network, gasLimit, maxFeePerGas } = use.transaction;
        // On another network the same addresses mean other tokens and other owners.
        const asset =
          payment && this.networks.nameOf(network) === 'ethereum'
            ? assetOfToken('ethereum', payment.token, assets)
            : null;
        if (asset) assertPaymentAllowed(asset, payment!, assets, transferPolicy);
        else if (isBounding(transferPolicy)) throw new TransactionNotAllowed();
        const fee = { asset: NATIVE_ASSETS.ethereum, amount: gasLimit * maxFeePerGas, isChosen: true };
        return assertFeeAllowed(transferPolicy, fee);
      }
      case 'export':
        if (signingPolicy.allowsExport === false) throw new WalletExportNotAllowed();
    }
  }
}

/** A token is bounded under every name that the app lists it under, and under the name that it is paid by. */
function assertPaymentAllowed(
  asset: Asset,
  { dest, amount }: Pick<PolicedPayment, 'dest' | 'amount'>,
  assets: readonly Asset[],
  policy: TransferPolicy,
): void {
  assertAllowed(policy, { asset, dest, amount });
  // Otherwise a quote from before the token was renamed, or a second name of the token, would evade the bound.
  for (const each of assets)
    if (each.chain === asset.chain && each.token === asset.token) assertAllowed(policy, { asset: each, dest, amount });
}

/** The policies in whose scope a request lies, and the facts that they judge: null if there are none, or for upkeep. */
export function subjectOf(
  { policies: active }: SigningState,
  { appId, wallet, keyId, use }: SigningRequest,
  networks: Networks,
): Pick<Pass, 'policies' | 'facts'> {
  const scopes: readonly Scope[] = [
    { kind: 'app', id: appId },
    { kind: 'wallet', id: wallet.id },
    { kind: 'user', id: wallet.userId },
    { kind: 'key', id: keyId },
  ];
  const policies = active.filter(({ scope }) => scopes.some(({ kind, id }) => kind === scope.kind && id === scope.id));
  return { policies, facts: policies.length === 0 ? null : factsOf(use, networks) };
}

export function destinationsOf({ moves }: Facts): string[] {
  const known = typeof moves === 'string' ? [] : moves.map(({ destination }) => destination);
  return [...new Set(known)].filter((destination) => destination !== 'missing');
}

function decisionOf({ request, operationId }: Pass, facts: Facts, verdict: Verdict): NewDecision {
  const by = verdict.outcome === 'allow' ? (verdict.by[0] ?? null) : verdict.by;
  return {
    id: newId('policyDecision'),
    outcome: verdict.outcome,
    policyId: by?.policy.id ?? null,
    version: by?.policy.version ?? null,
    ruleId: by?.rule.id ?? null,
    reason: verdict.outcome === 'deny' ? verdict.reason : null,
    operation: facts.operation,
    walletId: request.wallet.id,
    operationId,
    actor: request.keyId,
    facts,
  };
}
