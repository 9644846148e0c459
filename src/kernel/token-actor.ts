import { type Id, type IdKind, type GrantId, isId, type OauthClientId, type PolicyId } from './ids.js';

/**
 * The name of a call with an access token where that of a key stands otherwise: the grant, if a user has consented, the client, and the policy
 * of the grant's budget, so that what was ordered within a budget is never judged without it. Behind them stand the grants of the tokens for
 * which this one was exchanged.
 */
export function tokenActor(
  clientId: OauthClientId,
  grantId?: GrantId,
  budgetId?: PolicyId,
  subjects: readonly GrantId[] = [],
): string {
  return [grantId, clientId, budgetId, ...subjects].filter((id) => id !== undefined).join('/');
}

/** The first id of this kind in the name of a caller; null if it has none. */
export function idIn<K extends IdKind>(kind: K, actor: string): Id<K> | null {
  return idsIn(kind, actor)[0] ?? null;
}

export function idsIn<K extends IdKind>(kind: K, actor: string): readonly Id<K>[] {
  return actor.split('/').filter((part): part is Id<K> => isId(kind, part));
}
