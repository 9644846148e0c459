import { type Id, type IdKind, type GrantId, isId, type OauthClientId, type PolicyId } from './ids.js';

/**
 * The name of a call with an access token where that of a key stands otherwise: the grant, if a user has consented, the client, and the policy
 * of the grant's budget, so that what was ordered within a budget is never judged without it.
 */
export function tokenActor(clientId: OauthClientId, grantId?: GrantId, budgetId?: PolicyId): string {
  return [grantId, clientId, budgetId].filter((id) => id !== undefined).join('/');
}

/** The id of this kind in the name of a caller; null if it has none. */
export function idIn<K extends IdKind>(kind: K, actor: string): Id<K> | null {
  return actor.split('/').find((part): part is Id<K> => isId(kind, part)) ?? null;
}
