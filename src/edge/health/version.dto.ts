import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../openapi/plugin-schemas.js';

@ApiSchema({ description: 'The releases of the service and of Node.js, and the build.' })
export class VersionResponse {
  /** The release of the service. */
  @Example('1.0.0')
  readonly version!: string;
  /** The release of Node.js. */
  @Example('v22.13.0')
  readonly node!: string;
  /** The revision of the sources, or `unknown`. It ends with `-dirty` if files were changed. */
  @Example('0f5c1e7a9b3d4c2e8f6a1b0d7c9e3f5a2b4d6c8e')
  readonly revision!: string;
  /** The time of the build; `0` if it is unknown. */
  readonly built_at!: number;
}
