export class TotpDeletionResponse {
  /** The user from whom it was taken. */
  readonly user_id: string;
  readonly message: string;
}
