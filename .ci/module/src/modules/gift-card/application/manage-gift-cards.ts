import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, GiftCardId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import { GIFT_CARD_DEFAULTS, GIFT_CARD_SETTINGS, type GiftCardSettings } from '../domain/gift-card-settings.js';
import { GiftCardWasCreated, GiftCardWasRedeemed } from '../domain/gift-card.events.js';
import { GiftCard, type GiftCardDetails, GiftCardRepository, TooManyGiftCards } from '../domain/gift-card.js';

@Injectable()
export class ManageGiftCards {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly giftCards: GiftCardRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Throws `AppNotFound`, `UserNotFound`, `UserInactive`, `TooManyGiftCards`. */
  create(appId: AppId, details: GiftCardDetails): Promise<GiftCard> {
    const { userId } = details;
    return this.transactions.run(async () => {
      // The lock lets the second of two simultaneous calls count the gift card of the first.
      await this.identity.lock(appId, userId);
      await this.identity.holdActive(appId, userId);
      await this.apps.hold(appId);
      const settings = await this.apps.moduleSettings<GiftCardSettings>(appId, GIFT_CARD_SETTINGS);
      const { mostPerUser } = settings ?? GIFT_CARD_DEFAULTS;
      if ((await this.giftCards.count(appId, userId)) >= mostPerUser) throw new TooManyGiftCards(mostPerUser);
      const giftCard = GiftCard.create(appId, details, this.clock.now());
      await this.giftCards.insert(giftCard);
      await this.events.publish(new GiftCardWasCreated(appId, { gift_card_id: giftCard.id, user_id: userId }));
      return giftCard;
    });
  }

  /** Throws `GiftCardNotFound`, `GiftCardRedeemed`. */
  redeem(appId: AppId, id: GiftCardId): Promise<GiftCard> {
    return this.transactions.run(async () => {
      const giftCard = (await this.giftCards.lock(appId, id)).redeem(this.clock.now());
      await this.giftCards.update(giftCard);
      await this.events.publish(new GiftCardWasRedeemed(appId, { gift_card_id: id, user_id: giftCard.userId }));
      return giftCard;
    });
  }
}
