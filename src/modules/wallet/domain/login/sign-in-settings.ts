/** The settings of the operator for logins by wallet. */
export abstract class SignInSettings {
  /** The Ethereum chains that a sign-in text may name. */
  abstract readonly signInChainIds: readonly number[];
}
