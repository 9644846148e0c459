export interface Requester {
  /** A key's id, `oidc:` and an operator's name, or `cli` and `first_start` for the command line and the first start. */
  readonly actor: string;
  readonly requestId: string | null;
  readonly ip: string | null;
}
