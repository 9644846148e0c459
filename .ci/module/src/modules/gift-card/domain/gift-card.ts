import { refusal } from '../../../kernel/domain-error.js';
import type { DataOf } from '../../../kernel/entity.js';
import { type AppId, type GiftCardId, newId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** A gift card of an app. */
export class GiftCard {
  declare readonly appId: AppId;
  declare readonly id: GiftCardId;
  declare readonly name: string;
  declare readonly createdAt: Date;

  private constructor(data: DataOf<GiftCard>) {
    Object.assign(this, data);
  }

  static create(appId: AppId, { name }: { readonly name: string }, now: Date): GiftCard {
    return new GiftCard({ appId, id: newId('giftCard'), name, createdAt: now });
  }
}

export abstract class GiftCardRepository {
  abstract insert(giftCard: GiftCard): Promise<void>;

  /** Throws `GiftCardNotFound`. */
  abstract get(appId: AppId, id: GiftCardId): Promise<GiftCard>;

  /** Lists the gift cards of the app, newest first. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<GiftCard>>;
}

export class GiftCardNotFound extends refusal('not_found', 'gift_card_not_found', {
  message: 'There is no gift card with this id.',
  help: 'This app has no gift card with this id. List the gift cards of the app.',
}) {}
