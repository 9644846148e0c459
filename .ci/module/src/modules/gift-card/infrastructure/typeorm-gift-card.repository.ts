import { Injectable } from '@nestjs/common';
import { EntitySchema, type FindOneOptions } from 'typeorm';
import type { AppId, GiftCardId, UserId } from '../../../kernel/ids.js';
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
    userId: { type: 'text', name: 'user_id' },
    name: { type: 'text' },
    state: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    redeemedAt: { type: 'timestamptz', name: 'redeemed_at', nullable: true },
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

  get(appId: AppId, id: GiftCardId): Promise<GiftCard> {
    return this.find(appId, id);
  }

  lock(appId: AppId, id: GiftCardId): Promise<GiftCard> {
    return this.find(appId, id, { mode: 'pessimistic_write' });
  }

  async update({ appId, id, ...changes }: GiftCard): Promise<void> {
    await this.database.manager.update(GiftCard, { appId, id }, changes);
  }

  count(appId: AppId, userId: UserId): Promise<number> {
    return this.database.manager.countBy(GiftCard, { appId, userId });
  }

  list(appId: AppId, page: PageRequest): Promise<Page<GiftCard>> {
    return pageOf(this.database.manager, GiftCard, { appId }, page);
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<void> {
    await this.database.manager.delete(GiftCard, { appId, userId });
  }

  private async find(
    appId: AppId,
    id: GiftCardId,
    lock?: NonNullable<FindOneOptions<GiftCard>['lock']>,
  ): Promise<GiftCard> {
    const found = await this.database.manager.findOne(GiftCard, { where: { appId, id }, ...(lock && { lock }) });
    if (!found) throw new GiftCardNotFound();
    return found;
  }
}
