import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';

/** The field of the settings, in the API and where they are stored with an app. */
export const AUTHORIZATION_SERVER = 'authorization_server';

/** The settings of an app that is an authorization server. */
export interface AuthorizationServerSettings {
  /** The page of the app on which users sign in and consent. */
  readonly loginUrl: string;
  /** The hosts whose metadata documents make clients. */
  readonly metadataHosts?: readonly string[];
  /** When the server was switched on, in epoch seconds. Tokens of before stay ended after it was switched off. */
  readonly since: number;
}

/** Where the tokens of an app come from. Clients compare it as text. */
export function issuerOf(baseUrl: string, appId: AppId): string {
  return `${baseUrl}/oauth2/${appId}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether nothing between the browser and the host can read or change what is sent there. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** The hosts in the form in which URLs have them. Throws `InvalidRequest`. */
export function requireHosts(texts: readonly string[]): readonly string[] {
  const hosts = texts.map(hostIn);
  const index = hosts.indexOf(null);
  if (index === -1) return [...new Set(hosts as string[])];
  const message = 'must be a host, or host:port';
  throw new InvalidRequest([
    { field: `${AUTHORIZATION_SERVER}.client_metadata_hosts[${index}]`, rule: 'format', message },
  ]);
}

/** The host as URLs have it, without the port 443; null for a text that is none. */
function hostIn(text: string): string | null {
  const url = `https://${text}`;
  return /^[\w.-]+(:\d+)?$/.test(text) && URL.canParse(url) ? new URL(url).host : null;
}

/** Throws `InvalidRequest` unless the page is one to which browsers may be sent. */
export function requireLoginUrl(text: string): string {
  const url = new URL(text);
  if (!isSafe(url) || url.username !== '' || url.password !== '' || text.includes('#')) {
    const message = 'must be https, or http on loopback, without credentials and fragment';
    throw new InvalidRequest([{ field: `${AUTHORIZATION_SERVER}.login_url`, rule: 'format', message }]);
  }
  return url.href;
}
