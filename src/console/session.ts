import { signal } from '@preact/signals';
import type { components } from '../../openapi/client/src/index.js';
import { text } from './text.js';

export type Session = components['schemas']['ManagementSessionResponse'];
export type Role = Session['role'];

/** Undefined until the service was asked; null when the browser is not signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the sign-in page is shown again. */
export const signInNotice = signal<string | null>(null);

const ROLES: readonly Role[] = ['auditor', 'support', 'operator', 'owner'];

/** Why the signed-in role may not do this; null if it may. */
export function refusalFor(needed: Role): string | null {
  const role = session.value?.role ?? 'auditor';
  return ROLES.indexOf(role) >= ROLES.indexOf(needed) ? null : text.role.refusal[needed];
}

/** Why a browser is signed in no more. */
type Ending = 'expired' | 'signedOut';
interface Change {
  readonly next: Session | null;
  readonly ending: Ending | null;
}

// The tabs of a browser share one cookie: a tab that changes it must notify the rest.
const tabs = new BroadcastChannel('console-session');
tabs.addEventListener('message', ({ data: { next, ending } }: MessageEvent<Change>) => {
  const notice = ending === 'signedOut' ? text.signIn.endedInOtherTab : text.signIn.expired;
  signInNotice.value = next === null && session.value ? notice : null;
  session.value = next;
});

/** The browser was signed in, or is signed in no more. */
export function sessionChanged(next: Session | null, ending: Ending | null = null): void {
  signInNotice.value = ending && text.signIn[ending];
  session.value = next;
  const change: Change = { next, ending };
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  tabs.postMessage(change);
}
