import type { ManagementRole } from '../../../kernel/management-role.js';

export interface OperatorsProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** A hash of the issuer, the client, the roles and the required proof. Sessions end when it changes. */
  readonly registration: string;
  /** Null: any proof will do. */
  readonly maxAgeSeconds: number | null;
  /** The provider must state one of them; empty if any will do. */
  readonly acrValues: readonly string[];
  /** An operator gets the highest role whose value the claim has. */
  readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: ManagementRole }[];
}

export abstract class OperatorSettings {
  abstract readonly consoleOidc: OperatorsProvider | undefined;
}
