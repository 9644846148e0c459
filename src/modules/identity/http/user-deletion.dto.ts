import { Example } from '../../../edge/openapi/plugin-schemas.js';
/** The response of a deletion. */
export class UserDeletionResponse {
  /** The id of the user who was deleted, or whose email or phone number was deleted. */
  readonly user_id!: string;
  @Example('The user was deleted.')
  readonly message!: string;
}
