import { Injectable } from '@nestjs/common';
import type { OidcClient, OidcContext } from 'oidc-provider';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import type { AppId, GrantId, OauthClientId } from '../../../kernel/ids.js';
import { Config } from '../../../services/config/config.js';
import { type AccessTokenClaims, AccessTokens, type Actor } from '../domain/access-token.js';
import { GrantRepository, type LiveGrant } from '../domain/grant.js';
import { canonicalAudience } from '../domain/oauth-resource.js';
import type { Library } from './library.js';
import { settingsOf } from './provider-configuration.js';

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const DEEPEST = 3;

export const EXCHANGE_PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'resource',
  'scope',
  'authorization_details',
];

export interface Delegation {
  readonly act: Actor;
  readonly subject_grants: readonly GrantId[];
}

export interface Exchange {
  readonly grant: LiveGrant;
  readonly delegation: Delegation;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The new token lives no longer than the exchanged one. */
  readonly secondsLeft: number;
  readonly subject: { readonly clientId: string; readonly jkt: string | undefined };
}

/** Token exchange (RFC 8693): the client acts for the user as far as the user has permitted both clients. */
@Injectable()
export class TokenExchange {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly grants: GrantRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async of(appId: AppId, { errors }: Library, { client, params }: OidcContext): Promise<Exchange> {
    const { subject_token, subject_token_type, requested_token_type, actor_token, actor_token_type, resource } =
      params!;
    if (actor_token !== undefined || actor_token_type !== undefined)
      throw new errors.InvalidRequest('actor_token is not supported: the client acts itself');
    if (subject_token_type !== ACCESS_TOKEN || (requested_token_type ?? ACCESS_TOKEN) !== ACCESS_TOKEN)
      throw new errors.InvalidRequest(`subject_token_type and requested_token_type must be ${ACCESS_TOKEN}`);
    if (typeof resource !== 'string' || canonicalAudience(resource) === null)
      throw new errors.InvalidTarget('name one resource');
    const subject = await this.accessTokens.read(appId, String(subject_token));
    if (!subject?.grant || !mayRead(subject.claims, client!, this.config.baseUrl))
      throw new errors.InvalidRequest('the subject_token is no live token of a user that the client received');
    const { claims, grant: subjectGrant } = subject;
    const act: Actor = { sub: client!.clientId, ...(claims.act && { act: claims.act }) };
    if (depthOf(act) > DEEPEST) throw new errors.InvalidRequest(`at most ${DEEPEST} clients may act for each other`);
    if (subjectGrant.granted.budget && canonicalAudience(claims.aud) === canonicalAudience(this.config.baseUrl))
      throw new errors.InvalidRequest('a token with a budget cannot be exchanged');
    const grant = await this.grants.consentTo(appId, {
      userId: subjectGrant.userId,
      clientId: client!.clientId as OauthClientId,
      resource,
    });
    if (!grant) throw new errors.InvalidTarget('the user has not permitted the resource to the client');
    const subjectScopes = subjectGrant.granted.resources[canonicalAudience(claims.aud)!] ?? [];
    const requested = typeof params!['scope'] === 'string' ? params!['scope'].split(' ') : null;
    const scopes = (claims.scope?.split(' ') ?? []).filter(
      (scope) =>
        subjectScopes.includes(scope) &&
        grant.granted.resources[resource]!.includes(scope) &&
        (requested?.includes(scope) ?? true),
    );
    const subject_grants = [...new Set([subjectGrant.id, ...(claims.subject_grants ?? [])])];
    const secondsLeft = Math.max(1, claims.exp - epochSeconds(this.clock.now()));
    const parties = { clientId: claims.client_id, jkt: claims.cnf?.jkt };
    return { grant, delegation: { act, subject_grants }, resource, scopes, secondsLeft, subject: parties };
  }
}

/** The client got the token, or is its audience: a confidential client that lists it. The API of this service is no client. */
export function mayRead(claims: AccessTokenClaims, client: OidcClient, baseUrl: string): boolean {
  if (claims.client_id === client.clientId) return true;
  const isServer = client.clientAuthMethod !== 'none' && claims.aud !== baseUrl;
  return isServer && settingsOf(client).resources.map(canonicalAudience).includes(canonicalAudience(claims.aud));
}

function depthOf({ act }: Actor): number {
  return act ? 1 + depthOf(act) : 1;
}
