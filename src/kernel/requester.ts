/** On whose word a change is made. */
export interface Requester {
  /**
   * The id of the key that was used, or `oidc:` and the name of an operator who signed in at the OpenID provider; `cli` and `first_start`
   * stand for the operator at the command line and the first start.
   */
  readonly actor: string;
  /** Null where there was no HTTP request. */
  readonly requestId: string | null;
  /** The caller's address; null where there was no HTTP request. */
  readonly ip: string | null;
}
