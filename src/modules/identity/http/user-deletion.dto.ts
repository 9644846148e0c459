/** What a deletion answers. */
export class UserDeletionResponse {
  /** The user who was deleted, or from whom something was taken. */
  readonly user_id: string;
  readonly message: string;
}
