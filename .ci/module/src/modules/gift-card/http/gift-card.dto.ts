import { ApiSchema } from '@nestjs/swagger';
import { IdOf, MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import { ListQuery, ManagementListQuery } from '../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { GiftCardId, UserId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/paging.js';
import { type GiftCard, GIFT_CARD_STATES, type GiftCardState } from '../domain/gift-card.js';

export class CreateGiftCardRequest {
  /** The user who gets the gift card. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The name of the gift card. */
  @Text({ min: 1, max: MAX_LENGTH.name, example: 'Second' })
  readonly name!: string;
}

export class ListGiftCardsQuery extends ListQuery {
  /** The id of the last gift card of the previous page. */
  @IdOf('giftCard', { optional: true })
  readonly starting_after?: GiftCardId;
}

export class ListManagedGiftCardsQuery extends ManagementListQuery {
  /** The id of the last gift card of the previous page. */
  @IdOf('giftCard', { optional: true })
  readonly starting_after?: GiftCardId;
}

@ApiSchema({ description: 'The gift card.' })
export class GiftCardResponse {
  @Example(exampleId('giftCard'))
  id!: string;
  /** The user who has the gift card. */
  @Example(exampleId('user'))
  user_id!: string;
  /** The name that the app gave the gift card. */
  @Example('First')
  name!: string;
  /** The state of the gift card. */
  @EnumValues(GIFT_CARD_STATES)
  state!: GiftCardState;
  created_at!: number;
  /** The time when it was redeemed, in epoch seconds; 0 before. */
  redeemed_at!: number;

  static of({ id, userId, name, state, createdAt, redeemedAt }: GiftCard): GiftCardResponse {
    return {
      id,
      user_id: userId,
      name,
      state,
      created_at: epochSeconds(createdAt),
      redeemed_at: redeemedAt ? epochSeconds(redeemedAt) : 0,
    };
  }
}

@ApiSchema({ description: 'A page of the gift cards.' })
export class GiftCardListResponse {
  /** The gift cards, newest first. */
  gift_cards!: GiftCardResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<GiftCard>): GiftCardListResponse {
    return { gift_cards: items.map((giftCard) => GiftCardResponse.of(giftCard)), has_more: hasMore };
  }
}
