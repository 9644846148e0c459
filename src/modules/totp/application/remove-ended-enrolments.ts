import { Injectable } from '@nestjs/common';
import { TotpRepository } from '../domain/totp.repository.js';

const BATCH = 1_000;

/** Forgets enrolments that were not verified in time, in batches short enough to disturb nobody. */
@Injectable()
export class RemoveEndedEnrolments {
  constructor(private readonly totps: TotpRepository) {}

  async execute(): Promise<void> {
    while ((await this.totps.removeEnded(BATCH)) > 0);
  }
}
