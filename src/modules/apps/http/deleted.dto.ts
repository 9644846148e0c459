import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';

@ApiSchema({ description: 'The object was deleted.' })
export class DeletedResponse {
  /** The id of the deleted object. */
  @Example(exampleId('app'))
  id!: string;
  @Example('The app was deleted.')
  message!: string;
}
