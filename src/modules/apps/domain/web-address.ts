import type { AppMode } from './app-mode.js';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an app of this mode may send people there: https, or plain http on loopback and in test mode. */
export function isTrustworthy(url: URL, mode: AppMode): boolean {
  // The URL parser accepts it, but a reader could take it for a pattern.
  if (url.hostname.includes('*')) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && (mode === 'test' || LOOPBACK.test(url.hostname));
}
