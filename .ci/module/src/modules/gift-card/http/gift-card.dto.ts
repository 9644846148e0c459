import { ApiSchema } from '@nestjs/swagger';
import { IdOf, MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { GiftCardId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/paging.js';
import type { GiftCard } from '../domain/gift-card.js';

export class CreateGiftCardRequest {
  /** The name of the gift card. */
  @Text({ min: 1, max: MAX_LENGTH.name, example: 'Second' })
  readonly name!: string;
}

export class ListGiftCardsQuery extends ListQuery {
  /** The id of the last gift card of the previous page. */
  @IdOf('giftCard', { optional: true })
  readonly starting_after?: GiftCardId;
}

@ApiSchema({ description: 'The gift card.' })
export class GiftCardResponse {
  @Example(exampleId('giftCard'))
  id!: string;
  /** The name that the app gave the gift card. */
  @Example('First')
  name!: string;
  created_at!: number;

  static of({ id, name, createdAt }: GiftCard): GiftCardResponse {
    return Object.assign(new GiftCardResponse(), { id, name, created_at: epochSeconds(createdAt) });
  }
}

@ApiSchema({ description: 'A page of the gift cards.' })
export class GiftCardListResponse {
  /** The gift cards, newest first. */
  gift_cards!: GiftCardResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<GiftCard>): GiftCardListResponse {
    return Object.assign(new GiftCardListResponse(), {
      gift_cards: items.map((giftCard) => GiftCardResponse.of(giftCard)),
      has_more: hasMore,
    });
  }
}
