export class TotpDeletionResponse {
  /** The user of the deleted authenticator. */
  readonly user_id: string;
  readonly message: string;
}
