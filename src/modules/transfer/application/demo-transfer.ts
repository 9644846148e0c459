import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import { DEMO_MINUTES, exampleId, EXAMPLES } from '../../../kernel/examples.js';
import { DemoData } from '../../apps/index.js';
import { TransferRepository } from '../domain/transfer.repository.js';

/** An unconfirmed transfer of the demo user on the local chain. Until it is confirmed it needs no chain. */
@Injectable()
export class DemoTransfer implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly transfers: TransferRepository,
  ) {}

  onModuleInit(): void {
    this.demoData.register({
      add: (appId) =>
        this.transfers.add({
          appId,
          id: exampleId('transfer'),
          userId: exampleId('user'),
          source: exampleId('wallet'),
          sourceAddress: EXAMPLES.address,
          dest: EXAMPLES.otherAddress,
          network: 'eip155:31337',
          asset: NATIVE_ASSETS.ethereum,
          amount: 250_000_000_000_000_000n,
          feeCap: 1_000_000_000_000_000n,
          quoteSeconds: DEMO_MINUTES * 60,
          customId: null,
          notes: 'Order 1001',
        }),
    });
  }
}
