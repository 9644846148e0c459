import { Injectable } from '@nestjs/common';
import { TotpRepository } from '../domain/totp.repository.js';

const BATCH = 1_000;

/** Deletes enrolments that were not verified in time, in batches, so that no row lock is held for long. */
@Injectable()
export class RemoveEndedEnrolments {
  constructor(private readonly totps: TotpRepository) {}

  async execute(): Promise<void> {
    while ((await this.totps.removeEnded(BATCH)) > 0);
  }
}
