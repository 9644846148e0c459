import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../openapi/plugin-schemas.js';

@ApiSchema({ description: 'The releases of the service and of Node.js.' })
export class VersionResponse {
  /** The release of the service. */
  @Example('1.0.0')
  readonly version!: string;
  /** The release of Node.js. */
  @Example('v22.13.0')
  readonly node!: string;
}
