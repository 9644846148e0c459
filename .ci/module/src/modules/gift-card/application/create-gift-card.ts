import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { GiftCardCreated } from '../domain/gift-card.events.js';
import { GiftCard, GiftCardRepository } from '../domain/gift-card.js';

@Injectable()
export class CreateGiftCard {
  constructor(
    private readonly apps: AppsFacade,
    private readonly giftCards: GiftCardRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Throws `AppNotFound` when the app is deleted meanwhile. */
  execute(appId: AppId, details: { readonly name: string }): Promise<GiftCard> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const giftCard = GiftCard.create(appId, details, this.clock.now());
      await this.giftCards.insert(giftCard);
      await this.events.publish(new GiftCardCreated(appId, { gift_card_id: giftCard.id }));
      return giftCard;
    });
  }
}
