import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';
/** The deleted object no longer exists. */
export class DeletedResponse {
  @Example(exampleId('app'))
  id!: string;
  @Example('The app was deleted.')
  message!: string;

  static of(id: string, message: string): DeletedResponse {
    return Object.assign(new DeletedResponse(), { id, message });
  }
}
