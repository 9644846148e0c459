import { Injectable } from '@nestjs/common';
import { candidates, evaluate } from '../domain/evaluate.js';
import { Networks } from '../domain/networks.js';
import { type Inspected, SpendRepository } from '../domain/spend.repository.js';
import { NOTHING_USED, type Verdict } from '../domain/verdict.js';
import { countedRules, fittedOf, type SigningRequest } from './gate.js';
import { SigningStates } from './signing-states.js';

export interface Preview {
  readonly verdict: Verdict;
  /** The windows of the rules that would let the request pass. */
  readonly windows: Inspected['windows'];
}

/** Evaluates a request without deciding it. */
@Injectable()
export class PreviewPolicies {
  constructor(
    private readonly states: SigningStates,
    private readonly spends: SpendRepository,
    private readonly networks: Networks,
  ) {}

  /** The outcome now, by the policies alone: `transfer_policy` and `signing_policy` are not asked. Throws `AppNotFound`. */
  async execute(request: SigningRequest): Promise<Preview> {
    const fitted = fittedOf(await this.states.of(request.appId, false), request, this.networks);
    if (!fitted) return { verdict: ALLOWED, windows: [] };
    const counted = countedRules([{ fitted, counted: candidates(fitted) }]);
    if (counted.length === 0) return { verdict: evaluate(fitted, NOTHING_USED, new Set()), windows: [] };
    const { usage, windows } = await this.spends.inspect(request.appId, counted);
    return { verdict: evaluate(fitted, usage, new Set()), windows };
  }
}

const ALLOWED: Verdict = { outcome: 'allow', by: [], spends: [] };
