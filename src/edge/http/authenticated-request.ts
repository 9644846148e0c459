import type { Request } from 'express';
import type { DefaultWalletType } from '../../kernel/chain/chain-name.js';
import type { AppId, KeyId } from '../../kernel/ids.js';
import type { KeyBinding, KeyRestriction, KeyScope } from '../../kernel/key-restriction.js';
import type { ManagementRole } from '../../kernel/management-role.js';

export interface AuthenticatedApp {
  readonly id: AppId;
  readonly keyId: string;
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly defaultWalletType: DefaultWalletType;
  readonly allowedOrigins: readonly string[];
  readonly callsPerSecond: number;
  readonly restriction: KeyRestriction | null;
  /** Only for a token that came with a proof (RFC 9449), which counts once. It is stored, so ask after the call has counted. */
  readonly isFirstUse?: () => Promise<boolean>;
}

export function bindingOf({ restriction }: AuthenticatedApp): KeyBinding | null {
  return restriction?.binding ?? null;
}

export interface RestrictedCaller {
  readonly keyId: KeyId;
  readonly scopes: readonly KeyScope[];
}

export interface BrowserSession {
  readonly provedAt: Date | null;
  /** The clock is that of the database. */
  readonly provedSecondsAgo: number | null;
}

export interface ManagementCaller {
  /** An operator without a key has `oidc:` and a name here, as the audit log keeps it. */
  readonly keyId: string;
  /** The operator who signed in at the OpenID provider; null for a key. */
  readonly operator: string | null;
  readonly role: ManagementRole;
  readonly expiresAt: Date | null;
  readonly session: BrowserSession | null;
}

export interface AuthenticatedRequest extends Request {
  // Express itself uses `app`.
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
  /** The holder of a valid key of another kind than the route requires. The request is refused. */
  otherCaller?: { readonly keyId: string; readonly id?: AuthenticatedApp['id'] };
}
