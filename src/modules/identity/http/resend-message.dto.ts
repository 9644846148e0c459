import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../kernel/examples.js';

@ApiSchema({ description: 'A new message with the same purpose is sent soon.' })
export class ResentMessageResponse {
  /** The id of the message that was sent before. */
  @Example(exampleId('message'))
  readonly id!: string;
  @Example('A new message is sent soon.')
  readonly message!: string;
}
