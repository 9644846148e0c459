import { Injectable } from '@nestjs/common';
import { EntitySchema } from 'typeorm';
import type { AppId, GiftCardId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { pageOf } from '../../../postgres/page-of.js';
import { GiftCard, GiftCardNotFound, GiftCardRepository } from '../domain/gift-card.js';

export const GiftCardSchema = new EntitySchema<GiftCard>({
  name: 'GiftCard',
  target: GiftCard,
  tableName: 'gift_cards',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});

@Injectable()
export class TypeormGiftCardRepository extends GiftCardRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(giftCard: GiftCard): Promise<void> {
    await this.database.manager.insert(GiftCard, giftCard);
  }

  async get(appId: AppId, id: GiftCardId): Promise<GiftCard> {
    const found = await this.database.manager.findOneBy(GiftCard, { appId, id });
    if (!found) throw new GiftCardNotFound();
    return found;
  }

  list(appId: AppId, page: PageRequest): Promise<Page<GiftCard>> {
    return pageOf(this.database.manager, GiftCard, { appId }, page);
  }
}
