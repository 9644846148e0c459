import { refusal } from '../../../kernel/domain-error.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { type AppId, type GiftCardId, newId, type UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export const GIFT_CARD_STATES = ['open', 'redeemed'] as const;
export type GiftCardState = (typeof GIFT_CARD_STATES)[number];

/** A gift card of a user. */
export class GiftCard {
  declare readonly appId: AppId;
  declare readonly id: GiftCardId;
  declare readonly userId: UserId;
  declare readonly name: string;
  declare readonly state: GiftCardState;
  declare readonly createdAt: Date;
  declare readonly redeemedAt: Date | null;

  private constructor(data: DataOf<GiftCard>) {
    Object.assign(this, data);
  }

  static create(appId: AppId, { userId, name }: GiftCardDetails, now: Date): GiftCard {
    const id = newId('giftCard');
    return new GiftCard({ appId, id, userId, name, state: 'open', createdAt: now, redeemedAt: null });
  }

  /** Throws `GiftCardRedeemed`. */
  redeem(now: Date): GiftCard {
    if (this.state === 'redeemed') throw new GiftCardRedeemed();
    return evolve<GiftCard>(this, { state: 'redeemed', redeemedAt: now });
  }
}

export interface GiftCardDetails {
  readonly userId: UserId;
  readonly name: string;
}

/** Each method that locks stands in the table of `src/postgres/README.md`. */
export abstract class GiftCardRepository {
  abstract insert(giftCard: GiftCard): Promise<void>;

  /** Throws `GiftCardNotFound`. */
  abstract get(appId: AppId, id: GiftCardId): Promise<GiftCard>;

  /** Like `get`, and locks the gift card until the transaction ends. */
  abstract lock(appId: AppId, id: GiftCardId): Promise<GiftCard>;

  /** Stores a changed gift card, which the transaction has locked. */
  abstract update(giftCard: GiftCard): Promise<void>;

  /** The number of gift cards of the user. A limit counts them after it has locked the user. */
  abstract count(appId: AppId, userId: UserId): Promise<number>;

  /** Lists the gift cards of the app, newest first. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<GiftCard>>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<void>;
}

export class GiftCardNotFound extends refusal('not_found', 'gift_card_not_found', {
  message: 'There is no gift card with this id.',
  help: 'This app has no gift card with this id. List the gift cards of the app.',
}) {}

export class GiftCardRedeemed extends refusal('conflict', 'gift_card_redeemed', {
  message: 'The gift card was redeemed already. Redeem another one.',
  help: 'A gift card is redeemed once. Its `redeemed_at` says when that was.',
}) {}

export class TooManyGiftCards extends refusal('conflict', 'too_many_gift_cards', {
  message: (most: number) => `The user has ${most} gift cards, as many as the app permits.`,
  help: 'The setting `gift_card_settings.most_per_user` of the app bounds the number of gift cards of each user.',
}) {}
