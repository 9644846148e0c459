import { Injectable } from '@nestjs/common';
import type { DomainError } from '../../../../kernel/domain-error.js';
import { candidates, evaluate } from '../../rules/domain/evaluate.js';
import {
  DestinationNotAllowed,
  FeeLimitExceeded,
  MessageNotAllowed,
  TransactionNotAllowed,
  TransferLimitExceeded,
  TypedDataNotAllowed,
  WalletExportNotAllowed,
} from '../../rules/domain/policy.errors.js';
import { Networks } from '../../rules/domain/networks.js';
import { type Inspected, SpendRepository } from '../../budgets/domain/spend.repository.js';
import { boundsAmount, NOTHING_USED, type Verdict } from '../../rules/domain/verdict.js';
import { countedRules, fittedOf, Gate, type SigningRequest } from './gate.js';
import { SigningStates } from '../../rules/application/signing-states.js';

export const SETTINGS_REASONS = [
  DestinationNotAllowed,
  TransferLimitExceeded,
  FeeLimitExceeded,
  TransactionNotAllowed,
  MessageNotAllowed,
  TypedDataNotAllowed,
  WalletExportNotAllowed,
].map(({ code }) => code);

export interface Preview {
  /** If the settings deny, `reason` is the code of the error that the call would return. */
  readonly verdict: Verdict | { readonly outcome: 'deny'; readonly by: null; readonly reason: string };
  readonly windows: Inspected['windows'];
}

@Injectable()
export class PreviewPolicies {
  constructor(
    private readonly states: SigningStates,
    private readonly spends: SpendRepository,
    private readonly networks: Networks,
    private readonly gate: Gate,
  ) {}

  /** A freeze is not regarded. */
  async execute(request: SigningRequest): Promise<Preview> {
    const refusals = await this.gate.refusalsOf(request);
    if (refusals.settings) return { verdict: denied(refusals.settings), windows: [] };
    const preview = await this.byPolicies(request);
    const { verdict } = preview;
    const isDenied = refusals.feeUnderAmounts && verdict.outcome !== 'deny' && boundsAmount(verdict);
    return isDenied ? { ...preview, verdict: denied(refusals.feeUnderAmounts!) } : preview;
  }

  private async byPolicies(request: SigningRequest): Promise<{ verdict: Verdict; windows: Preview['windows'] }> {
    const fitted = fittedOf(await this.states.of(request.appId, false), request, this.networks);
    if (!fitted) return { verdict: ALLOWED, windows: [] };
    const counted = countedRules([{ fitted, counted: candidates(fitted) }]);
    if (counted.length === 0) return { verdict: evaluate(fitted, NOTHING_USED, new Set()), windows: [] };
    const { usage, windows } = await this.spends.inspect(request.appId, counted);
    return { verdict: evaluate(fitted, usage, new Set()), windows };
  }
}

const denied = ({ code }: DomainError): Preview['verdict'] => ({ outcome: 'deny', by: null, reason: code });

const ALLOWED: Verdict = { outcome: 'allow', by: [], spends: [] };
