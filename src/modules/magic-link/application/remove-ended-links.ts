import { Injectable } from '@nestjs/common';
import { MagicLinkRepository } from '../domain/magic-link.repository.js';

const BATCH = 1_000;

/** Deletes links a day after their end, in batches, so that no row lock is held for long. */
@Injectable()
export class RemoveEndedLinks {
  constructor(private readonly links: MagicLinkRepository) {}

  async execute(): Promise<void> {
    while ((await this.links.removeEnded(BATCH)) > 0);
  }
}
