import { Injectable } from '@nestjs/common';
import type { Proof, TokenAuthenticator } from '../../../edge/auth/call-tokens.js';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { type AppId, isId } from '../../../kernel/ids.js';
import { KEY_SCOPES, type KeyScope } from '../../../kernel/key-restriction.js';
import { idsIn, tokenActor } from '../../../kernel/token-actor.js';
import { Config } from '../../../services/config/config.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { TokenPolicies } from '../../policy/index.js';
import { AccessTokens, type LiveToken } from '../domain/access-token.js';
import { issuerOf } from '../domain/authorization-server.js';
import { GrantRepository } from '../domain/grant.js';
import { canonicalAudience } from '../domain/oauth-resource.js';
import { SPENDING_SCOPES } from '../domain/oauth-scope.js';
import { Artifacts } from './artifacts.js';
import { keyProvenBy } from './dpop.js';

/** Each call checks that its token has not ended. */
@Injectable()
export class ApiTokens implements TokenAuthenticator {
  constructor(
    private readonly apps: AppsFacade,
    private readonly tokens: AccessTokens,
    private readonly grants: GrantRepository,
    private readonly policies: TokenPolicies,
    private readonly artifacts: Artifacts,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async find(token: string, proof: Proof | null): Promise<AuthenticatedApp | null> {
    const appId = this.appOf(token);
    try {
      const live = appId && (await this.tokens.read(appId, token));
      if (!live || live.claims.aud !== this.config.baseUrl) return null;
      const { cnf, client_id } = live.claims;
      // A token that is bound to a key is no bearer token, and any other only that.
      if (!cnf || !proof) return cnf || proof ? null : await this.callerOf(appId, live);
      const call = { ...proof, url: `${this.config.baseUrl}${proof.path}` };
      const key = await keyProvenBy(call, token, epochSeconds(this.clock.now()));
      const caller = key?.thumbprint === cnf.jkt ? await this.callerOf(appId, live) : null;
      return caller && { ...caller, isFirstUse: () => this.artifacts.isFirstUse(appId, client_id, key!.jti) };
    } catch (error) {
      if (error instanceof AppNotFound) return null;
      throw error;
    }
  }

  commitOnlyIfValid({ id, keyId }: AuthenticatedApp): void {
    for (const grantId of idsIn('grant', keyId)) this.grants.commitOnlyIfLive(id, grantId);
  }

  private async callerOf(appId: AppId, { claims, clientId, grant }: LiveToken): Promise<AuthenticatedApp | null> {
    const settings = await this.apps.settings(appId);
    const callsPerSecond = settings.limits.secretKeyCallsPerSecond;
    const scopes = await this.scopesOf(appId, { claims, clientId, grant });
    const budget = grant?.granted.budget;
    // SQL may have deleted its policy.
    if (budget && !(await this.policies.isOpen(appId, grant.id))) return null;
    const binding = grant && { userId: grant.userId, walletIds: budget ? [budget.walletId] : null };
    return {
      ...settings,
      keyId: tokenActor(clientId, grant?.id, budget?.policyId, claims.subject_grants),
      callsPerSecond,
      restriction: { scopes, binding, ipRanges: [], callsPerSecond },
    };
  }

  private async scopesOf(appId: AppId, { claims, clientId, grant }: LiveToken): Promise<readonly KeyScope[]> {
    const consented = grant?.granted.resources[canonicalAudience(claims.aud)!] ?? [];
    const maySpend = grant !== null || (await this.policies.bound(appId, clientId));
    const scopes = claims.scope?.split(' ') ?? [];
    return KEY_SCOPES.filter(
      (scope) =>
        scopes.includes(scope) &&
        (grant === null || consented.includes(scope)) &&
        (maySpend || !SPENDING_SCOPES.includes(scope)),
    );
  }

  /** The unverified issuer. Only the keys of this app can have signed the token. */
  private appOf(token: string): AppId | null {
    try {
      const { iss } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { iss?: unknown };
      const appId = String(iss).split('/').at(-1);
      return isId('app', appId) && iss === issuerOf(this.config.baseUrl, appId) ? appId : null;
    } catch {
      return null;
    }
  }
}
