import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';

export const AUTHORIZATION_SERVER = 'authorization_server';

export interface AuthorizationServerSettings {
  readonly loginUrl: string;
  readonly metadataHosts?: readonly string[];
  /** Epoch seconds. Tokens issued before the server was switched off remain ended. */
  readonly since: number;
}

/** Clients compare the issuer as text. */
export function issuerOf(baseUrl: string, appId: AppId): string {
  return `${baseUrl}/oauth2/${appId}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Another party between the browser and the host can neither read nor change requests. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

export function requireHosts(texts: readonly string[]): readonly string[] {
  const hosts = texts.map(hostIn);
  const index = hosts.indexOf(null);
  if (index === -1) return [...new Set(hosts as string[])];
  const message = 'must be a host, or host:port';
  throw new InvalidRequest([
    { field: `${AUTHORIZATION_SERVER}.client_metadata_hosts[${index}]`, rule: 'format', message },
  ]);
}

function hostIn(text: string): string | null {
  const url = `https://${text}`;
  return /^[\w.-]+(:\d+)?$/.test(text) && URL.canParse(url) ? new URL(url).host : null;
}

export function requireLoginUrl(text: string): string {
  const url = new URL(text);
  if (!isSafe(url) || url.username !== '' || url.password !== '' || text.includes('#')) {
    const message = 'must be https, or http on loopback, without credentials and fragment';
    throw new InvalidRequest([{ field: `${AUTHORIZATION_SERVER}.login_url`, rule: 'format', message }]);
  }
  return url.href;
}
