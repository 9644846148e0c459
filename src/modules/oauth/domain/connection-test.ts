import type { ProviderConnection } from './identity-provider.js';

export const CHECK_NAMES = ['credentials', 'discovery', 'keys', 'clock', 'pkce', 'userinfo'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface ConnectionCheck {
  readonly name: CheckName;
  readonly ok: boolean;
  /** The result or the fault, for the operator. It contains no secret. */
  readonly detail: string;
}

export interface TestedConnection extends ProviderConnection {
  readonly userinfo: 'required' | 'optional';
}

/** Finds out why logins through a connection would fail, as far as that shows without a login. */
export abstract class ConnectionTest {
  /** One result for each check, in their order. A failure of the provider is a result. Takes bounded time. */
  abstract run(connection: TestedConnection): Promise<ConnectionCheck[]>;
}
