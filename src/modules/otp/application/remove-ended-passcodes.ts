import { Injectable } from '@nestjs/common';
import { PasscodeRepository } from '../domain/passcode.repository.js';

const BATCH = 1_000;

/** Forgets passcodes that are long over, in batches short enough to disturb nobody. */
@Injectable()
export class RemoveEndedPasscodes {
  constructor(private readonly passcodes: PasscodeRepository) {}

  async execute(): Promise<void> {
    while ((await this.passcodes.removeEnded(BATCH)) > 0);
  }
}
