import { Injectable } from '@nestjs/common';
import { MagicLinkRepository } from '../domain/magic-link.repository.js';

const BATCH = 1_000;

/** Forgets links that are long over, in batches short enough to disturb nobody. */
@Injectable()
export class RemoveEndedLinks {
  constructor(private readonly links: MagicLinkRepository) {}

  async execute(): Promise<void> {
    while ((await this.links.removeEnded(BATCH)) > 0);
  }
}
