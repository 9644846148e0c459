import { signal } from '@preact/signals';
import type { components } from '../../openapi/client/src/index.js';
import { text } from './text.js';

export type Session = components['schemas']['ManagementSessionResponse'];
export type Role = Session['role'];

/** Undefined until the service was asked; null when the browser is not signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the sign-in page is shown again. */
export const signInNotice = signal<string | null>(null);

const ROLES: readonly Role[] = ['auditor', 'operator', 'owner'];

/** Why the signed-in role may not do this; null if it may. */
export function refusalFor(needed: Role): string | null {
  const role = session.value?.role ?? 'auditor';
  return ROLES.indexOf(role) >= ROLES.indexOf(needed) ? null : text.role.refusal[needed];
}

// The tabs of a browser share one cookie: what one of them does to it, the rest must know.
const tabs = new BroadcastChannel('console');
tabs.addEventListener('message', ({ data }: MessageEvent<Session | null>) => {
  signInNotice.value = data === null && session.value ? text.signIn.endedInOtherTab : null;
  session.value = data;
});

/** The browser was signed in, or out with a reason. */
export function sessionChanged(next: Session | null, reason: string | null = null): void {
  signInNotice.value = reason;
  session.value = next;
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  tabs.postMessage(next);
}
