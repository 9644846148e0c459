import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type CountedLimits, LimitsInForce } from '../../../services/limits/limits-in-force.js';
import { AppDirectory } from '../domain/app-directory.js';

@Injectable()
export class DirectoryLimits extends LimitsInForce {
  constructor(private readonly directory: AppDirectory) {
    super();
  }

  override async of(appId: AppId): Promise<CountedLimits> {
    return (await this.directory.settings(appId)).limits;
  }
}
