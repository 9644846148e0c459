import { type Id, type IdKind, type GrantId, isId, type OauthClientId } from './ids.js';

/** The name of a call with an access token where that of a key stands otherwise: the grant, if a user has consented, and the client. */
export function tokenActor(clientId: OauthClientId, grantId?: GrantId): string {
  return grantId === undefined ? clientId : `${grantId}/${clientId}`;
}

/** The id of this kind in the name of a caller; null if it has none. */
export function idIn<K extends IdKind>(kind: K, actor: string): Id<K> | null {
  return actor.split('/').find((part): part is Id<K> => isId(kind, part)) ?? null;
}
