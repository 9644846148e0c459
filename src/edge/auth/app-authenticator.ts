import type { DefaultWalletType } from '../../kernel/chain/chain-name.js';
import type { AppId } from '../../kernel/ids.js';

/** The app a request speaks for, and those of its settings that the edge and the modules need on every call. */
export interface AuthenticatedApp {
  readonly id: AppId;
  /** The key that was given. */
  readonly keyId: string;
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly defaultWalletType: DefaultWalletType;
  readonly allowedOrigins: readonly string[];
  /** Calls a second with the app's secret keys. */
  readonly callsPerSecond: number;
}

/** Who calls the management API. */
export interface ManagementCaller {
  readonly keyId: string;
}

/** Recognises keys. Null means nobody: unknown, expired, revoked, or of a deleted app. Throws when it cannot tell. */
export abstract class AppAuthenticator {
  abstract bySecretKey(key: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byPublicToken(token: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byManagementKey(key: string): ManagementCaller | null | Promise<ManagementCaller | null>;
}
