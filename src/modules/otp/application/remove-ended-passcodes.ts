import { Injectable } from '@nestjs/common';
import { PasscodeRepository } from '../domain/passcode.repository.js';

const BATCH = 1_000;

/** Deletes passcodes an hour after their end, in batches, so that no row lock is held for long. */
@Injectable()
export class RemoveEndedPasscodes {
  constructor(private readonly passcodes: PasscodeRepository) {}

  async execute(): Promise<void> {
    while ((await this.passcodes.removeEnded(BATCH)) > 0);
  }
}
