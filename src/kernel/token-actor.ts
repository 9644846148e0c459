import { type Id, type IdKind, type GrantId, isId, type OauthClientId, type PolicyId } from './ids.js';

/** Stands where a key's name stands: the grant or client and the budget's policy, so that no order is judged without its budget. */
export function tokenActor(
  clientId: OauthClientId,
  grantId?: GrantId,
  budgetId?: PolicyId,
  subjects: readonly GrantId[] = [],
): string {
  return [grantId, clientId, budgetId, ...subjects].filter((id) => id !== undefined).join('/');
}

export function idIn<K extends IdKind>(kind: K, actor: string): Id<K> | null {
  return idsIn(kind, actor)[0] ?? null;
}

export function idsIn<K extends IdKind>(kind: K, actor: string): readonly Id<K>[] {
  return actor.split('/').filter((part): part is Id<K> => isId(kind, part));
}
