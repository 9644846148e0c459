import { createHash } from 'node:crypto';
import { type AppId, ID_PREFIXES, isId, type OauthClientId } from '../../../kernel/ids.js';
import { isSafe } from './authorization-server.js';
import type { ClientSettings, GrantType } from './oauth-client.js';

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const MAX_URL_LENGTH = 1_024;
const MOST_URIS = 50;
const MAX_NAME_LENGTH = 100;

/** The app, not the document, chooses scopes and resources. */
export interface DescribedClient {
  readonly name: string;
  readonly settings: Pick<ClientSettings, 'redirectUris' | 'postLogoutRedirectUris' | 'logoUri' | 'grantTypes'>;
}

/** `text` is the id itself, or the URL of a metadata document. */
export function clientIdOf(appId: AppId, text: unknown): OauthClientId | null {
  if (isId('oauthClient', text)) return text;
  if (typeof text !== 'string' || !text.startsWith('http')) return null;
  const bytes = createHash('sha256').update(`${appId} ${text}`).digest().subarray(0, 26);
  return `${ID_PREFIXES.oauthClient}_${Array.from(bytes, (byte) => BASE32[byte & 31]).join('')}` as OauthClientId;
}

export function isDocumentOf(hosts: readonly string[], text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text) || text.includes('#')) return false;
  const url = new URL(text);
  const isPlain = url.href === text && url.username === '' && url.password === '' && url.pathname !== '/';
  return isPlain && isSafe(url) && hosts.includes(url.host);
}

/** Null for a document about another URL, or of a client with a secret or keys. */
export function describedIn(text: string, url: string): DescribedClient | null {
  const document = objectIn(text);
  const method = document?.['token_endpoint_auth_method'] ?? 'none';
  if (document?.['client_id'] !== url || method !== 'none' || 'client_secret' in document) return null;
  const { client_name: name, logo_uri: logo } = document;
  const grantTypes = textsIn(document['grant_types'] ?? ['authorization_code']);
  const redirectUris = textsIn(document['redirect_uris']);
  const postLogoutRedirectUris = textsIn(document['post_logout_redirect_uris'] ?? []);
  if (!grantTypes?.includes('authorization_code') || !redirectUris || !postLogoutRedirectUris) return null;
  const isLogo =
    typeof logo === 'string' && logo.length <= MAX_URL_LENGTH && logo.startsWith('https:') && URL.canParse(logo);
  return {
    name: typeof name === 'string' && /\S/.test(name) ? name.slice(0, MAX_NAME_LENGTH) : new URL(url).host,
    settings: {
      redirectUris,
      postLogoutRedirectUris,
      logoUri: isLogo ? logo : null,
      grantTypes: (['authorization_code', 'refresh_token'] satisfies GrantType[]).filter((type) =>
        grantTypes.includes(type),
      ),
    },
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function textsIn(value: unknown): readonly string[] | null {
  const areTexts = Array.isArray(value) && value.length <= MOST_URIS && value.every((each) => typeof each === 'string');
  return areTexts ? (value as string[]) : null;
}
