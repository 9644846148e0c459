import { Example } from '../../../edge/openapi/plugin-schemas.js';
export class TotpDeletionResponse {
  /** The user of the deleted authenticator. */
  readonly user_id!: string;
  @Example('The authenticator was deleted.')
  readonly message!: string;
}
