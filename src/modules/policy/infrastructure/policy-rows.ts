import { columnsOf } from '../../../postgres/statement.js';
import type { Policy, ScopeKind } from '../domain/policy.js';
import { rulesOf, type StoredRule } from '../domain/stored-rules.js';

/** A row of policies. */
export interface PolicyRow extends Omit<Policy, 'scope' | 'rules'> {
  readonly scopeKind: ScopeKind;
  readonly scopeId: string;
  readonly rules: readonly StoredRule[];
}

/** Columns of policies `p`. */
export const POLICY = columnsOf<PolicyRow>([
  'appId',
  'id',
  'name',
  'version',
  'state',
  'scopeKind',
  'scopeId',
  'rules',
  'createdAt',
  'activatedAt',
  'retiredAt',
]).of('p');

export function policyOf({ scopeKind, scopeId, rules, ...row }: PolicyRow): Policy {
  return { ...row, scope: { kind: scopeKind, id: scopeId }, rules: rulesOf(rules) };
}
