import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import type { Chain, SignedAttempt } from '../domain/chain.js';
import { TransferRepository } from '../domain/transfer.repository.js';

/** Lets stored bytes out of the house, outside any transaction. Whatever becomes of them, the chain tells. */
@Injectable()
export class SendAttempt {
  constructor(private readonly transfers: TransferRepository) {}

  /** Whether the node took them, which decides nothing. */
  async execute(appId: AppId, chain: Chain, attempt: SignedAttempt): Promise<boolean> {
    await this.transfers.beginBroadcast(appId, attempt);
    const { accepted } = await chain.send(attempt);
    if (accepted) await this.transfers.noteAccepted(appId, attempt);
    return accepted;
  }
}
