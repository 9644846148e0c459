import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';

/** The name in the API and in storage. */
export const SESSION_CLAIMS = 'session_claims';

/** A JWT with them still fits into a cookie. */
const MAX_USER_CLAIMS_BYTES = 1_000;

export type ClaimsOfUser = Readonly<Record<string, unknown>>;

@Injectable()
export class UserClaims {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly log: Log,
  ) {}

  /** The names that the app asks for are `external_id`, `metadata` and `metadata.<member>`. */
  async of(appId: AppId, userId: UserId): Promise<ClaimsOfUser> {
    const names = await this.apps.moduleSettings<readonly string[]>(appId, SESSION_CLAIMS);
    if (!names || names.length === 0) return {};
    const { externalId, metadata } = await this.identity.appData(appId, userId);
    const claimNames = new Set(names);
    const members = Object.entries(metadata ?? {}).filter(
      ([name]) => claimNames.has('metadata') || claimNames.has(`metadata.${name}`),
    );
    const claims = {
      ...(claimNames.has('external_id') && externalId && { external_id: externalId }),
      ...(members.length > 0 && { metadata: Object.fromEntries(members) }),
    };
    const bytes = Buffer.byteLength(JSON.stringify(claims));
    if (bytes <= MAX_USER_CLAIMS_BYTES) return claims;
    this.log.warn({ app_id: appId, user_id: userId, bytes }, 'session claims too large');
    return {};
  }
}
