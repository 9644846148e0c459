import type { ProviderConnection } from './identity-provider.js';

export const CHECK_NAMES = ['credentials', 'discovery', 'keys', 'clock', 'pkce', 'userinfo'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface ConnectionCheck {
  readonly name: CheckName;
  readonly ok: boolean;
  /** Contains no secret. */
  readonly detail: string;
}

export interface TestedConnection extends ProviderConnection {
  readonly userinfo: 'required' | 'optional';
}

export abstract class ConnectionTest {
  /** A failure of the provider is a result. Takes bounded time. */
  abstract run(connection: TestedConnection): Promise<ConnectionCheck[]>;
}
