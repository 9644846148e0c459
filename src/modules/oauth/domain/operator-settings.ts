import type { ManagementRole } from '../../../kernel/management-role.js';

/** The service's registration at the OpenID provider at which operators sign in to the console. */
export interface OperatorsProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** A hash of the issuer, the client, the roles and the required proof. Sessions end when it changes. */
  readonly registration: string;
  /** The longest time since the operator proved who they are, which the provider must state; null if any will do. */
  readonly maxAgeSeconds: number | null;
  /** The authentication contexts of which the provider must state one; empty if any will do. */
  readonly acrValues: readonly string[];
  /** The roles by claims: an operator gets the highest role whose value the claim has. */
  readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: ManagementRole }[];
}

export abstract class OperatorSettings {
  /** Undefined if operators sign in with management keys only. */
  abstract readonly consoleOidc: OperatorsProvider | undefined;
}
