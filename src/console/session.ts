import { signal } from '@preact/signals';
import type { components } from '../../openapi/client/src/index.js';
import { text } from './text.js';

export type Session = components['schemas']['ManagementSessionResponse'];
export type Role = Session['role'];

/** Undefined until the service was asked; null when the browser is not signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** The pages stay under the sign-in, so that entries are not lost. */
export const hasExpired = signal(false);

export const signInNotice = signal<string | null>(null);

const ROLES: readonly Role[] = ['auditor', 'support', 'operator', 'owner'];

/** Null if the role may do it. */
export function refusalFor(needed: Role): string | null {
  const role = session.value?.role ?? 'auditor';
  return ROLES.indexOf(role) >= ROLES.indexOf(needed) ? null : text.role.refusal[needed];
}

type Change = Session | 'signedOut' | 'expired';

// The tabs of a browser share one cookie: a tab that changes it must notify the rest.
const tabs = new BroadcastChannel('console-session');
tabs.addEventListener('message', ({ data }: MessageEvent<Change>) => apply(data, text.signIn.endedInOtherTab));

export function sessionChanged(change: Change): void {
  apply(change, text.signIn.signedOut);
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  tabs.postMessage(change);
}

function apply(change: Change, signedOut: string): void {
  const wasSignedIn = session.value !== null;
  signInNotice.value = null;
  if (change === 'expired') {
    hasExpired.value = Boolean(session.value);
    return;
  }
  hasExpired.value = false;
  session.value = change === 'signedOut' ? null : change;
  if (session.value === null && wasSignedIn) signInNotice.value = signedOut;
}
