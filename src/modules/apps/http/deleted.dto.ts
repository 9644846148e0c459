import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';

@ApiSchema({ description: 'The object was deleted.' })
export class DeletedResponse {
  /** The id of the deleted app, key, redirect URL or connection. */
  @Example(exampleId('key'))
  id!: string;
  @Example('The key was revoked.')
  message!: string;
}
