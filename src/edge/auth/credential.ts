import type { Request } from 'express';
import type { ManagementRole } from '../../kernel/management-role.js';
import type { AuthenticatedApp, ManagementCaller } from './app-authenticator.js';

/** The credential that a route requires. A route without one refuses every request. */
export type Credential =
  | { readonly kind: 'secret'; readonly alsoInQuery?: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'management'; readonly role: ManagementRole; readonly isSignIn?: boolean }
  | { readonly kind: 'none'; readonly rate: PublicRate };

/** The rate limit of a route that needs no key. `pages` is ten times the rate of `calls`, counted apart. */
export type PublicRate = 'calls' | 'pages' | 'unlimited';

export const CREDENTIAL = 'credential';

/** The request after its key was recognised. `@App()` and `@Caller()` read these properties. */
export interface AuthenticatedRequest extends Request {
  // Express itself uses `app`.
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
  /** The holder of a valid key of another kind than the route requires. The request is refused. */
  otherCaller?: { readonly keyId: string; readonly id?: AuthenticatedApp['id'] };
}
