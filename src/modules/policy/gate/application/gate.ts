import { Injectable } from '@nestjs/common';
import { otherCalls } from '../../../../kernel/other-calls.js';
import { type DomainError, isRefusal } from '../../../../kernel/domain-error.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { LockedRowsChanged } from '../../../../kernel/transactions.js';
import { namedItem } from '../../../../kernel/items.js';
import { idIn } from '../../../../kernel/token-actor.js';
import { SealAltered } from '../../../../kernel/vault.js';
import type { Asset } from '../../../../kernel/chain/asset.js';
import {
  type AppId,
  type ApprovalId,
  newId,
  type PolicyDecisionId,
  type UserId,
  type WalletId,
} from '../../../../kernel/ids.js';
import { type AppSettings, AppsFacade, isBounding, type TransferPolicy } from '../../../apps/index.js';
import { PasskeysFacade } from '../../../passkey/index.js';
import { ApprovalRepository, assertUsable, type CurrentApproval } from '../../approvals/domain/approval.js';
import { ApprovalMismatch, ApprovalNotFound } from '../../approvals/domain/approval.errors.js';
import { DecisionRepository, type NewDecision } from '../domain/decision.js';
import { candidates, evaluate, fit, type Fitted, requirementOf } from '../../rules/domain/evaluate.js';
import { type Facts, movesIn } from '../../rules/domain/facts.js';
import type { TransactionUse } from '../../rules/domain/facts-of-transaction.js';
import { factsOf, type KeyUse } from '../../rules/domain/key-use.js';
import { assertMessageSignable, assertSignable } from '../domain/message-policy.js';
import {
  assertAllowed,
  assertFeeAllowed,
  feeRefusalUnderAmounts,
  type PolicedFee,
  type PolicedPayment,
} from '../../rules/domain/payment-bounds.js';
import { hashOf, type Payload, payloadOf } from '../../rules/domain/payload.js';
import {
  BOUNDS,
  type Operation,
  type Policy,
  type Rule,
  type ScopeKind,
  type SigningState,
} from '../../rules/domain/policy.js';
import {
  AppFrozen,
  ApprovalRequired,
  BatchTooLarge,
  type FeeLimitExceeded,
  PolicyDenied,
  TransactionNotAllowed,
  WalletExportNotAllowed,
  WalletFrozen,
} from '../../rules/domain/policy.errors.js';
import { ApprovalEvent } from '../../rules/domain/policy.events.js';
import { Networks } from '../../rules/domain/networks.js';
import { type CountedRule, type LockedWindows, SpendRepository } from '../../budgets/domain/spend.repository.js';
import {
  boundsAmount,
  NOTHING_USED,
  type RuleOfPolicy,
  RunningUsage,
  type Usage,
  type Verdict,
} from '../../rules/domain/verdict.js';
import { Approvals } from '../../approvals/application/approvals.js';
import { unapprovedEndOf } from '../../approvals/application/awaiting-transfers.js';
import { SigningStates } from '../../rules/application/signing-states.js';

export interface SigningRequest {
  readonly appId: AppId;
  readonly wallet: { readonly id: WalletId; readonly userId: UserId };
  /** Null for a transfer whose key is not known: then the policies of all keys judge it, and no approval is requested. */
  readonly keyId: string | null;
  readonly transferId?: string;
  /** The service repeats the request itself until it is decided otherwise or the transfer ends. */
  readonly isTracked?: boolean;
  /** A call names the owner of the wallet, who must not approve then. */
  readonly namesUser?: boolean;
  /** The approval that the call carries, or that was last requested for the transfer. */
  readonly approvalId?: ApprovalId | null | undefined;
  /** An operator, or a cancellation under way, ends a payment by a transaction that moves nothing. No freeze prevents it. */
  readonly isCancellation?: boolean;
  /** The same payment is signed again. It was counted, so the end of a budget or of its client's policy does not stop it. */
  readonly isReplacement?: boolean;
  readonly use: KeyUse;
}

/** Only the revision that it names may decide it. */
export interface Pass {
  readonly request: SigningRequest;
  readonly operationId: string;
  readonly revision: string;
  /** Null for upkeep, which no rule judges. */
  readonly fitted: Fitted | null;
  /** The policies of the caller's grant. They are held at the decision, as the revision holds the others. */
  readonly budgets: readonly Policy[];
  readonly counted: readonly RuleOfPolicy[];
  /** The refusal of the fees if a rule that bounds an amount lets the request pass; null if they are low enough, or bounded otherwise. */
  readonly feeRefusal: FeeLimitExceeded | null;
  /** The payload that approvers see; null if no rule asks them. */
  readonly subject: { readonly payload: Payload; readonly hash: string } | null;
}

/** A request is judged by these. */
interface SigningRules {
  readonly settings: AppSettings;
  readonly state: SigningState;
}

interface Considered {
  readonly windows: RunningUsage;
  /** Null if no rule counts. */
  readonly counted: LockedWindows | null;
  readonly approvals: readonly CurrentApproval[];
}

/** Only `use` allows the use of the key. */
export type Decided =
  | { readonly is: 'use'; readonly decisionId: PolicyDecisionId | null; readonly approvals: readonly ApprovalId[] }
  /** The approval must be given first. */
  | { readonly is: 'await'; readonly decisionId: PolicyDecisionId; readonly approvalId: ApprovalId }
  /** An approval of the transfer has lost its subject. */
  | { readonly is: 'end'; readonly decisionId: null; readonly end: ReturnType<typeof unapprovedEndOf> };

/** What no rule judges. */
const UPKEEP = { fitted: null, budgets: [], counted: [], feeRefusal: null, subject: null };

/** The event loop serves other requests after so many items: each item may take milliseconds. */
const ITEMS_AT_ONCE = 4;

/**
 * Every use of a wallet's key passes here. `open` judges it from memory, before any lock. `count` and `decide` judge it again in the
 * transaction that signs, with the windows locked and the policies held.
 */
@Injectable()
export class Gate {
  constructor(
    private readonly apps: AppsFacade,
    private readonly states: SigningStates,
    private readonly spends: SpendRepository,
    private readonly decisions: DecisionRepository,
    private readonly networks: Networks,
    private readonly approvals: ApprovalRepository,
    private readonly currentApprovals: Approvals,
    private readonly passkeys: PasskeysFacade,
    private readonly events: DomainEvents,
  ) {}

  /** Refuses a request that can never pass. `isAgain`: the transaction runs again because the policies were changed. */
  async open(request: SigningRequest, isAgain = false): Promise<Pass> {
    try {
      return await this.passOf(request, await this.rulesFor([request], isAgain));
    } catch (error) {
      if (!request.isCancellation || !(error instanceof SealAltered)) throw error;
      // What ends a payment of an app that SQL has altered moves nothing, and its transfer bounds the fee.
      const revision = await this.states.storedRevision(request.appId);
      return { ...UPKEEP, request, operationId: request.transferId ?? newId('policyDecision'), revision };
    }
  }

  /** The transfers are signed together and wait for no approvers. A refusal names the item. */
  async openBatch(requests: readonly SigningRequest[], isAgain = false): Promise<Pass[]> {
    // They are read once: one revision decides all items.
    const signingRules = await this.rulesFor(requests, isAgain);
    if (signingRules.state.isFrozen) throw new AppFrozen();
    const passes: Pass[] = [];
    let windows = 0;
    for (const [index, request] of requests.entries()) {
      if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await otherCalls();
      const pass = await namedItem(index, async () => {
        const opened = await this.passOf(request, signingRules);
        if (opened.subject) throw new ApprovalRequired(null);
        return opened;
      });
      windows += pass.counted.reduce((sum, { rule }) => sum + rule.windows.length, 0);
      // The windows are counted under their locks, so their number is bounded.
      if (windows > BOUNDS.windowsOfBatch) throw new BatchTooLarge();
      passes.push(pass);
    }
    return passes;
  }

  /**
   * Locks the approvals, then locks and counts all windows, in one round trip with the caller's next statement. Sends nothing where no rule
   * asks and no window counts.
   */
  async count(passes: readonly Pass[]): Promise<Considered> {
    const { appId } = passes[0]!.request;
    const rules = countedRules(passes);
    const ids = passes.map(({ operationId }) => operationId);
    const asking = passes.filter(({ subject, request }) => subject !== null || dependsOnApproval(request));
    const [approvals, sums] = await Promise.all([
      Promise.all(
        asking.map(({ subject, request }) => this.approvals.lockOf(appId, request.transferId ?? subject!.hash)),
      ),
      rules.length === 0 ? null : this.spends.count(appId, rules, ids),
    ]);
    return { windows: new RunningUsage(sums?.usage ?? NOTHING_USED), counted: sums, approvals: approvals.flat() };
  }

  /**
   * Stores the decision with its spends in the transaction that signs: those of a transfer are held until they are settled. The windows
   * then count it for the next request. Without `mayAsk` it refuses instead of asking. Call `useUp` after the key was used.
   */
  async decide(pass: Pass, { windows, counted, approvals }: Considered, mayAsk = true): Promise<Decided> {
    const { fitted, operationId, request } = pass;
    const { appId, transferId } = request;
    const ended = approvals.filter(({ end }) => end !== null);
    if (ended.length > 0 && transferId !== undefined) return this.endTransfer(ended, mayAsk);
    if (!fitted) return { is: 'use', decisionId: null, approvals: [] };
    if (pass.budgets.length > 0 && !(await this.states.hold(appId, pass.budgets))) throw new LockedRowsChanged();
    if (pass.subject && transferId === undefined) await this.assertCarriedApproval(pass, approvals);
    for (const approval of ended) await this.currentApprovals.recordEnd(approval, approval.end!);

    const given = await this.givenAmong(pass, approvals);
    const verdict = await this.judge(
      pass,
      windows.usage,
      new Set(given.map(({ policyId, ruleId }) => requirementOf(policyId!, ruleId!))),
    );
    if (pass.feeRefusal && boundsAmount(verdict)) throw pass.feeRefusal;
    const isAsking = verdict.outcome === 'require_approval';
    // The end of a key voids its approvals, which is not possible for a key that is not known.
    if (isAsking && (!mayAsk || request.keyId === null)) throw new ApprovalRequired(null);
    const decision = decisionOf(pass, fitted.facts, verdict);
    this.decisions.add(appId, decision);
    const approvalId = isAsking ? await this.request(pass, verdict) : null;
    // A signature that waits holds nothing: its caller may never repeat the call.
    if (!(isAsking && transferId === undefined)) counted?.spend(operationId, verdict.spends, transferId !== undefined);
    if (approvalId) return { is: 'await', decisionId: decision.id, approvalId };
    windows.add(verdict.spends);
    const used = given.filter(({ state }) => state === 'approved').map(({ id }) => id);
    return { is: 'use', decisionId: decision.id, approvals: used };
  }

  /** Each approval is used once. Call it in the transaction that signs. */
  useUp({ request: { appId } }: Pass, { approvals }: Extract<Decided, { is: 'use' }>): void {
    for (const id of approvals) this.approvals.store(appId, id, 'executed');
  }

  /** The transfer has ended and is locked. */
  withdraw(appId: AppId, transferId: string): Promise<void> {
    return this.currentApprovals.withdraw(appId, transferId);
  }

  /** Also the refusal of an app that SQL has altered. */
  async freezeOf(
    appId: AppId,
    wallet: SigningRequest['wallet'],
  ): Promise<AppFrozen | WalletFrozen | SealAltered | null> {
    try {
      return freezeIn(await this.states.of(appId, false), wallet);
    } catch (error) {
      if (error instanceof SealAltered) return error;
      throw error;
    }
  }

  async refusalsOf({
    appId,
    use,
  }: SigningRequest): Promise<{ settings: DomainError | null; feeUnderAmounts: FeeLimitExceeded | null }> {
    const settings = await this.apps.settings(appId);
    const feeUnderAmounts = this.feeRefusalOf(settings, use);
    try {
      this.assertWithinSettings(settings, use);
      return { settings: null, feeUnderAmounts };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { settings: error, feeUnderAmounts };
    }
  }

  /** Ends the hold on budgets: the transfer counts as spent at this time, or is given back (null) with the proof that nothing was paid. */
  settle(appId: AppId, transferId: string, spentAt: Date | null): Promise<void> {
    return this.spends.settle(appId, transferId, spentAt);
  }

  /** A freeze in memory is read again before it refuses: another replica may have ended it. */
  private async rulesFor(requests: readonly SigningRequest[], isAgain: boolean): Promise<SigningRules> {
    const { appId, keyId } = requests[0]!;
    const settings = await this.apps.settings(appId);
    const state = await this.states.of(appId, isAgain);
    const mayBeThawed = !isAgain && requests.some((request) => freezeAgainst(state, request) !== null);
    const current = mayBeThawed ? await this.states.of(appId, true) : state;
    const grantId = keyId === null ? null : idIn('grant', keyId);
    const budgetId = keyId === null ? null : idIn('policy', keyId);
    const budget = grantId && (await this.states.ofGrant(appId, grantId));
    if (!budget && budgetId === null) return { settings, state: current };
    // A budget that is not found allows nothing.
    const own = budget ?? [];
    const isClosed = own.length === 0 || (budgetId !== null && !own.some(({ id }) => id === budgetId));
    return { settings, state: { ...current, policies: [...current.policies, ...own], isClosed } };
  }

  private async passOf(request: SigningRequest, { settings, state }: SigningRules): Promise<Pass> {
    const { appId, use } = request;
    const refusal = freezeAgainst(state, request);
    if (refusal) throw refusal;
    const fitted = fittedOf(state, request, this.networks);
    this.assertWithinSettings(settings, use);
    const counted = fitted ? candidates(fitted) : [];
    const operationId = request.transferId ?? newId('policyDecision');
    const feeRefusal = this.feeRefusalOf(settings, use);
    const budgets = state.policies.filter(({ scope: { kind } }) => kind === 'grant');
    const pass = {
      request,
      operationId,
      revision: state.revision,
      fitted,
      budgets,
      counted,
      feeRefusal,
      subject: null,
    };
    if (!fitted) return pass;
    const { outcome } = await this.judge(pass, NOTHING_USED);
    // With the windows counted, no further rule asks.
    if (outcome === 'allow' && !dependsOnApproval(request)) return pass;
    const subject = { appId, walletId: request.wallet.id, transferId: request.transferId };
    const payload = payloadOf(subject, use, fitted.facts);
    return { ...pass, subject: { payload, hash: hashOf(payload) } };
  }

  private async endTransfer(ended: readonly CurrentApproval[], mayStore: boolean): Promise<Decided> {
    if (!mayStore) throw new ApprovalRequired(null);
    for (const approval of ended) await this.currentApprovals.recordEnd(approval, approval.end!);
    return { is: 'end', decisionId: null, end: unapprovedEndOf(ended[0]!.end!) };
  }

  private async assertCarriedApproval({ request, subject }: Pass, open: readonly CurrentApproval[]): Promise<void> {
    const { appId, keyId, approvalId } = request;
    if (!approvalId) return;
    const approval = open.find(({ id }) => id === approvalId) ?? (await this.approvals.find(appId, approvalId));
    if (!approval) throw new ApprovalNotFound();
    if (approval.keyId !== keyId) throw new ApprovalMismatch();
    assertUsable(approval, subject!.hash);
  }

  /**
   * An approval that a transfer has used stays valid for it, because it pays once. For any other, enough voters must be active members with
   * a passkey now. A signature counts only the approval that its call carries.
   */
  private async givenAmong(
    { request, subject }: Pass,
    approvals: readonly CurrentApproval[],
  ): Promise<readonly CurrentApproval[]> {
    const { appId, keyId, transferId, approvalId } = request;
    if (transferId === undefined && !approvalId) return [];
    const same = approvals.filter(
      (approval) => approval.end === null && approval.payloadHash === subject!.hash && approval.keyId === keyId,
    );
    const voters = same.flatMap(({ state, supporters }) => (state === 'approved' ? supporters : []));
    const holders = voters.length > 0 ? await this.passkeys.haveOne(appId, voters) : new Set();
    return same.filter(
      ({ state, votes, supporters, needed }) =>
        (state === 'executed' && votes.filter(({ decision }) => decision === 'approve').length >= needed) ||
        (state === 'approved' && supporters.filter((userId) => holders.has(userId)).length >= needed),
    );
  }

  private async request(
    { request, subject }: Pass,
    { by, approvals: terms }: Extract<Verdict, { outcome: 'require_approval' }>,
  ): Promise<ApprovalId> {
    const { appId, wallet, transferId, use } = request;
    const { payload, hash } = subject!;
    const id = newId('approval');
    const awaited = await this.approvals.request(
      {
        appId,
        id,
        operation: use.operation as Operation,
        operationId: transferId ?? hash,
        walletId: wallet.id,
        userId: wallet.userId,
        // The grant stands for its user.
        namesUser: request.namesUser === true || idIn('grant', request.keyId!) !== null,
        keyId: request.keyId!,
        policyId: by.policy.id,
        version: by.policy.version,
        ruleId: by.rule.id,
        groupId: terms.group,
        needed: terms.count,
        payload,
        payloadHash: hash,
        expiresIn: terms.expiresIn,
      },
      // Otherwise a caller that repeats its call without the approval would take it back.
      transferId !== undefined || Boolean(request.approvalId),
    );
    if (awaited === id)
      await this.events.publish(new ApprovalEvent.waiting(appId, { approval_id: id, payload_hash: hash }));
    return awaited;
  }

  private async judge(
    pass: Omit<Pass, 'subject'>,
    usage: Usage,
    approved: ReadonlySet<string> = new Set(),
  ): Promise<Exclude<Verdict, { outcome: 'deny' }>> {
    const { fitted, request } = pass;
    const verdict = evaluate(fitted!, usage, approved);
    if (verdict.outcome !== 'deny') return verdict;
    await this.decisions.addDenial(request.appId, decisionOf(pass, fitted!.facts, verdict), request.isTracked === true);
    throw new PolicyDenied(verdict);
  }

  private feeRefusalOf({ transferPolicy }: AppSettings, use: KeyUse): FeeLimitExceeded | null {
    const fee = use.operation === 'sign_transaction' ? this.feeOf(use.transaction) : null;
    return fee && feeRefusalUnderAmounts(transferPolicy, fee, this.networks);
  }

  /** Null if the network is not configured. */
  private feeOf({ network, gasLimit, maxFeePerGas }: TransactionUse): PolicedFee | null {
    const coin = this.networks.coinOf(this.networks.nameOf(network));
    return coin && { asset: coin, amount: gasLimit * maxFeePerGas, isChosen: true };
  }

  private assertWithinSettings({ assets, transferPolicy, signingPolicy }: AppSettings, use: KeyUse): void {
    switch (use.operation) {
      case 'transfer':
        this.assertPaymentAllowed(use.asset, use, assets, transferPolicy);
        if (use.fee) assertFeeAllowed(transferPolicy, use.fee, this.networks);
        return;
      case 'upkeep':
        return assertFeeAllowed(transferPolicy, use.fee, this.networks);
      case 'sign_message':
        return assertMessageSignable(signingPolicy, use.message);
      case 'sign_typed_data':
        return assertSignable(signingPolicy, use.typedData);
      case 'sign_transaction': {
        const { payment, network } = use.transaction;
        // On another network the same addresses mean other tokens and other owners.
        const coin = this.networks.coinOf(this.networks.nameOf(network));
        const isPaid = ({ chain, token }: Asset): boolean => chain === coin?.chain && token === payment?.token;
        const asset = coin && ([coin, ...assets].find(isPaid) ?? null);
        if (asset) this.assertPaymentAllowed(asset, payment!, assets, transferPolicy);
        else if (isBounding(transferPolicy)) throw new TransactionNotAllowed();
        const fee = this.feeOf(use.transaction);
        if (fee) assertFeeAllowed(transferPolicy, fee, this.networks);
        return;
      }
      case 'export':
        if (signingPolicy.allowsExport === false) throw new WalletExportNotAllowed();
    }
  }

  /** A token is bounded under every name that the app lists: neither a second name nor a rename after the quote evades the bound. */
  private assertPaymentAllowed(
    asset: Asset,
    { dest, amount }: Pick<PolicedPayment, 'dest' | 'amount'>,
    assets: readonly Asset[],
    policy: TransferPolicy,
  ): void {
    assertAllowed(policy, { asset, dest, amount }, this.networks);
    for (const each of assets)
      if (each.chain === asset.chain && each.token === asset.token)
        assertAllowed(policy, { asset: each, dest, amount }, this.networks);
  }
}

function freezeAgainst(
  state: SigningState,
  { wallet, isCancellation }: SigningRequest,
): AppFrozen | WalletFrozen | null {
  return isCancellation ? null : freezeIn(state, wallet);
}

function freezeIn(
  { isFrozen, frozenIds }: SigningState,
  { id, userId }: SigningRequest['wallet'],
): AppFrozen | WalletFrozen | null {
  if (isFrozen) return new AppFrozen();
  return frozenIds.has(id) || frozenIds.has(userId) ? new WalletFrozen() : null;
}

/** The end of an approval ends the transfer even if no rule asks any more, or no policy is over it. */
function dependsOnApproval({ transferId, approvalId, use }: SigningRequest): boolean {
  return use.operation === 'transfer' && Boolean(transferId && approvalId);
}

export function fittedOf(
  { policies: active, isClosed: isSpent = false }: SigningState,
  { appId, wallet, keyId, isReplacement = false, use }: SigningRequest,
  networks: Networks,
): Fitted | null {
  const [client, grant] = keyId === null ? [null, null] : [idIn('oauthClient', keyId), idIn('grant', keyId)];
  const ids: Readonly<Record<ScopeKind, string | null>> = {
    app: appId,
    wallet: wallet.id,
    user: wallet.userId,
    key: keyId,
    client: keyId === null ? null : (client ?? ''),
    grant: grant ?? '',
  };
  const policies = active.filter(({ scope: { kind, id } }) => ids[kind] === null || ids[kind] === id);
  // Only a policy bounds a client that stands for no user: without one it signs nothing.
  const isUnbound = client !== null && grant === null && !policies.some(({ scope: { kind } }) => kind === 'client');
  const isClosed = (isUnbound || isSpent) && !isReplacement;
  const facts = policies.length === 0 && !isClosed ? null : factsOf(use, networks);
  const fitted = facts && fit(policies, facts);
  return fitted && isClosed ? { ...fitted, scopes: [...fitted.scopes, []] } : fitted;
}

/** Each rule has the destinations of those requests that it fits. */
export function countedRules(passes: readonly Pick<Pass, 'fitted' | 'counted'>[]): CountedRule[] {
  const rules = new Map<Rule, RuleOfPolicy & { readonly destinations: Set<string> }>();
  for (const { fitted, counted } of passes) {
    const destinations = movesIn(fitted?.facts.moves ?? []).map(({ destination }) => destination);
    for (const each of counted) {
      const rule = rules.get(each.rule) ?? { ...each, destinations: new Set() };
      rules.set(each.rule, rule);
      for (const destination of destinations) if (destination !== 'missing') rule.destinations.add(destination);
    }
  }
  return [...rules.values()];
}

function decisionOf(
  { request, operationId }: Pick<Pass, 'request' | 'operationId'>,
  facts: Facts,
  verdict: Verdict,
): NewDecision {
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
    actor: request.keyId ?? '',
    facts,
  };
}
