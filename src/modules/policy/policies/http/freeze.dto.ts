import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { AppId } from '../../../../kernel/ids.js';

@ApiSchema({ description: 'Whether the wallets of the app sign.' })
export class FreezeResponse {
  @Example(exampleId('app'))
  app_id!: string;
  /** The time since which they sign nothing, in epoch seconds; `0` if they sign. */
  @Example(1_767_225_600)
  frozen_at!: number;

  static of(appId: AppId, frozenAt: Date | null): FreezeResponse {
    return Object.assign(new FreezeResponse(), { app_id: appId, frozen_at: epochSeconds(frozenAt) });
  }
}
