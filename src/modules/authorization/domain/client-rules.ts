import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { FieldError } from '../../../kernel/domain-error.js';
import { isSafe } from './authorization-server.js';
import { type OauthClient, TOKEN_EXCHANGE } from './oauth-client.js';

/** Reverse-domain form (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
const MOST_KEYS = 10;
export const ASSERTION_ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'];
const MAX_URL_LENGTH = 2_048;

export function faultsOf({
  type,
  settings,
  authMethod,
}: Pick<OauthClient, 'type' | 'settings' | 'authMethod'>): FieldError[] {
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
  // The client could sign an approver in and vote.
  if (settings.scopes.includes('login:write') && settings.scopes.includes('approvals:vote'))
    add('scopes', 'one_of', 'must not have both login:write and approvals:vote');
  if ((type === 'public') !== (authMethod === 'none'))
    add('token_endpoint_auth_method', 'one_of', 'must be none for a public client, and only for that');
  faultsOfKeys(settings, authMethod === 'private_key_jwt', add);
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

function faultsOfKeys(
  { jwks, jwksUri }: OauthClient['settings'],
  isNeeded: boolean,
  add: (field: string, rule: string, message: string) => unknown,
): void {
  if (isNeeded !== Boolean(jwks ?? jwksUri) || (jwks && jwksUri))
    add('jwks', isNeeded ? 'required' : 'empty', 'must be there, or else jwks_uri, for private_key_jwt alone');
  if (jwks && !areKeys(jwks.keys))
    add(
      'jwks',
      'format',
      `must have 1 to ${MOST_KEYS} public keys to verify signatures: RSA of 2,048 to 8,192 bits, P-256 or Ed25519`,
    );
  if (jwksUri && !isSafe(new URL(jwksUri))) add('jwks_uri', 'format', 'must be https, or http on loopback');
}

function areKeys(keys: unknown): boolean {
  return Array.isArray(keys) && keys.length > 0 && keys.length <= MOST_KEYS && keys.every(isPublicKey);
}

/** Members of private and symmetric keys (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'dp', 'dq', 'k', 'oth', 'p', 'q', 'qi'];

/** With an exponent of 1 a signature needs no private key. */
const LOWEST_EXPONENT = 65_537n;

const SMALL_PRIMES = Array.from({ length: 166 }, (_, index) => index + 2).filter(
  (candidate, index, all) => candidate > 2 && all.slice(0, index).every((lower) => candidate % lower !== 0),
);

/** Smartcards with the flaw of CVE-2017-15361 made RSA keys that can be factored: powers of 65,537 modulo each small prime. */
function hasKnownFactors(modulus: string): boolean {
  const n = BigInt(`0x${Buffer.from(modulus, 'base64url').toString('hex')}`);
  return SMALL_PRIMES.every((prime) => {
    const rest = Number(n % BigInt(prime));
    let power = 1;
    while (power !== rest) if ((power = (power * 65_537) % prime) === 1) return false;
    return true;
  });
}

export function isPublicKey(key: unknown): boolean {
  if (typeof key !== 'object' || key === null || PRIVATE_MEMBERS.some((name) => name in key)) return false;
  const { n, use = 'sig', alg = ASSERTION_ALGORITHMS[0], key_ops: uses = ['verify'] } = key as JsonWebKey;
  if (use !== 'sig' || !ASSERTION_ALGORITHMS.includes(alg as string)) return false;
  if (!Array.isArray(uses) || !uses.includes('verify')) return false;
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      key: key as JsonWebKey,
      format: 'jwk',
    });
    const bits = details?.modulusLength ?? 0;
    return type === 'rsa'
      ? bits >= 2_048 && bits <= 8_192 && details!.publicExponent! >= LOWEST_EXPONENT && !hasKnownFactors(n!)
      : type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1');
  } catch {
    return false;
  }
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
