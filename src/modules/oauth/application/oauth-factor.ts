import type { ProviderIdentityId } from '../../../kernel/ids.js';
import type { Factor } from '../../session/index.js';
import type { LoginTicket } from '../domain/login-ticket.js';

/** The session factor of an identity at a provider; its type is declared in `oauth.module.ts`. */
export function factorOf(
  { provider, subject }: Pick<LoginTicket, 'provider' | 'subject'>,
  identityId: ProviderIdentityId,
): Factor {
  return {
    type: 'oauth',
    deliveryChannel: `${provider}_oauth`,
    method: { type: 'oauth', identityId, providerSubject: subject },
  };
}
