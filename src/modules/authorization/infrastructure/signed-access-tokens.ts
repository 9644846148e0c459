import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { Config } from '../../../services/config/config.js';
import { AppsFacade } from '../../apps/index.js';
import { SessionFacade } from '../../session/index.js';
import { type AccessTokenClaims, AccessTokens, type LiveToken } from '../domain/access-token.js';
import { clientIdOf } from '../domain/metadata-document.js';
import { GrantRepository } from '../domain/grant.js';
import { AUTHORIZATION_SERVER, type AuthorizationServerSettings, issuerOf } from '../domain/authorization-server.js';
import { scopesKept } from '../domain/oauth-scope.js';

const REVOKE = `
  insert into authorization_revoked_tokens (app_id, jti, expires_at) values ($1, $2, to_timestamp($3::float8))
  on conflict (app_id, jti) do nothing`;

@Injectable()
export class SignedAccessTokens extends AccessTokens {
  constructor(
    private readonly database: Database,
    private readonly apps: AppsFacade,
    private readonly sessions: SessionFacade,
    private readonly grants: GrantRepository,
    private readonly config: Config,
  ) {
    super();
  }

  async read(appId: AppId, token: string): Promise<LiveToken | null> {
    const server = await this.apps.moduleSettings<AuthorizationServerSettings>(appId, AUTHORIZATION_SERVER);
    const signed = server && (await this.sessions.readSigned(appId, token));
    const issued = signed?.type === 'at+jwt' ? claimsIn(signed.claims, issuerOf(this.config.baseUrl, appId)) : null;
    if (!issued || issued.iat < server!.since) return null;
    const clientId = clientIdOf(appId, issued.client_id);
    if (!clientId) return null;
    const standing = await this.grants.ofToken(appId, clientId, issued);
    if (!standing) return null;
    const { scopes, grant } = standing;
    const scope = issued.scope && scopesKept(issued.scope.split(' '), scopes).join(' ');
    const claims = { ...issued, ...(scope !== undefined && { scope }) };
    if (claims.grant_id === undefined) return { claims, clientId, grant };
    for (const id of claims.subject_grants ?? [])
      if ((await this.grants.live(appId, id))?.userId !== claims.sub) return null;
    return grant?.userId === claims.sub ? { claims, clientId, grant } : null;
  }

  async revoke(appId: AppId, { jti, exp }: Pick<AccessTokenClaims, 'jti' | 'exp'>): Promise<void> {
    await this.database.write(REVOKE, [appId, jti, exp]);
  }
}

function claimsIn(claims: Readonly<Record<string, unknown>>, issuer: string): AccessTokenClaims | null {
  const { iss, sub, client_id, aud, jti, iat, exp, scope, grant_id, cnf, act, subject_grants } = claims;
  const areTexts = [sub, client_id, aud, jti].every((each) => typeof each === 'string');
  const areTimes = [iat, exp].every((each) => Number.isSafeInteger(each));
  if (iss !== issuer || !areTexts || !areTimes) return null;
  // A token without a grant has ended, so the other claims need no check.
  return {
    sub,
    client_id,
    aud,
    jti,
    iat,
    exp,
    ...(typeof scope === 'string' && { scope }),
    ...(grant_id !== undefined && { grant_id }),
    ...(cnf !== undefined && { cnf }),
    ...(act !== undefined && { act, subject_grants }),
  } as AccessTokenClaims;
}
