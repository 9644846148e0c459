import type { FieldError } from '../../../kernel/domain-error.js';
import { isSafe } from './authorization-server.js';
import { type OauthClient, TOKEN_EXCHANGE } from './oauth-client.js';

/** A scheme of an app on the user's device, in reverse-domain form (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
const MAX_URL_LENGTH = 2_048;

/** The faults of settings that contradict each other or the type of the client. */
export function faultsOf({ type, settings }: Pick<OauthClient, 'type' | 'settings'>): FieldError[] {
  const { grantTypes, redirectUris, postLogoutRedirectUris, pkce } = settings;
  const faults: FieldError[] = [];
  const add = (field: string, rule: string, message: string) => faults.push({ field, rule, message });
  const hasCode = grantTypes.includes('authorization_code');
  if (hasCode && redirectUris.length === 0)
    add('redirect_uris', 'required', 'must not be empty for authorization_code');
  if (!hasCode && redirectUris.length > 0) add('redirect_uris', 'empty', 'must be empty without authorization_code');
  for (const needsCode of ['refresh_token', TOKEN_EXCHANGE] as const)
    if (grantTypes.includes(needsCode) && !hasCode)
      add('grant_types', 'one_of', `must have authorization_code beside ${needsCode}`);
  for (const needsSecret of ['client_credentials', TOKEN_EXCHANGE] as const)
    if (type === 'public' && grantTypes.includes(needsSecret))
      add('grant_types', 'one_of', `must not have ${needsSecret} for a public client, which has no secret`);
  if (type === 'public' && pkce === 'optional') add('pkce', 'one_of', 'must be required for a public client');
  const isLocal = redirectUris.some((uri) => !uri.startsWith('https:'));
  for (const [field, uris] of Object.entries({
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris,
  }))
    for (const [index, uri] of uris.entries()) {
      const fault = faultOfUri(uri, type, isLocal);
      if (fault !== null) add(`${field}[${index}]`, 'format', fault);
    }
  return faults;
}

function faultOfUri(text: string, type: OauthClient['type'], isLocal: boolean): string | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (text.includes('#') || text.includes('*') || url.username !== '' || url.password !== '')
    return 'must not have a fragment, a wildcard or credentials';
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!isSafe(url)) return 'must be https, or http on loopback';
    const isLoopback = isSafe(new URL(`http://${url.host}`));
    return url.protocol === 'https:' && isLoopback && isLocal ? 'must not mix https on loopback with http' : null;
  }
  return type === 'public' && PRIVATE_SCHEME.test(url.protocol)
    ? null
    : 'must be https, or for a public client a scheme in reverse-domain form such as com.example.app:/callback';
}
