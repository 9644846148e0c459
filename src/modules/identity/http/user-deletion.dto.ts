import { Example } from '../../../edge/openapi/plugin-schemas.js';
/** What a deletion answers. */
export class UserDeletionResponse {
  /** The user who was deleted, or from whom something was taken. */
  readonly user_id!: string;
  @Example('The user was deleted.')
  readonly message!: string;
}
