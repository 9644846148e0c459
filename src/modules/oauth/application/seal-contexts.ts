import type { AppId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { SealContext } from '../../../kernel/vault.js';

export function verifierContext(appId: AppId, stateHash: TokenHash): SealContext {
  return ['oauth-code-verifier', appId, stateHash.toString('hex')];
}

export function providerTokensContext(appId: AppId, tokenHash: TokenHash): SealContext {
  return ['oauth-provider-tokens', appId, tokenHash.toString('hex')];
}
