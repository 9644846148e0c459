import { Injectable } from '@nestjs/common';
import type { AppId, OauthClientId } from '../../../kernel/ids.js';
import { SigningStates } from './signing-states.js';

/** The policies over calls with access tokens. */
@Injectable()
export class TokenPolicies {
  constructor(private readonly states: SigningStates) {}

  /** Whether an active policy bounds what is signed for the client itself. Throws `AppNotFound`. */
  async bound(appId: AppId, clientId: OauthClientId): Promise<boolean> {
    const { policies } = await this.states.of(appId, false);
    return policies.some(({ scope: { kind, id } }) => kind === 'client' && id === clientId);
  }
}
