import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEvents } from '../../kernel/domain-events.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import { IdentityModule, UserDeleted } from '../identity/index.js';
import { ManageGiftCards } from './application/manage-gift-cards.js';
import { GIFT_CARD_SETTINGS } from './domain/gift-card-settings.js';
import { GiftCardRepository } from './domain/gift-card.js';
import { GiftCardSettingsRequest, GiftCardSettingsResponse } from './http/gift-card-settings.dto.js';
import { GiftCardController, ManagedGiftCardsController } from './http/gift-card.controller.js';
import './infrastructure/personal-data.js';
import { GiftCardSchema, TypeormGiftCardRepository } from './infrastructure/typeorm-gift-card.repository.js';

/** The gift cards of users. */
@Module({
  imports: [AppsModule, IdentityModule, TypeOrmModule.forFeature([GiftCardSchema])],
  controllers: [GiftCardController, ManagedGiftCardsController],
  providers: [{ provide: GiftCardRepository, useClass: TypeormGiftCardRepository }, ManageGiftCards],
})
export class GiftCardModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly giftCards: GiftCardRepository,
    private readonly owners: ObjectOwners,
    private readonly moduleSettings: ModuleSettings,
  ) {}

  onModuleInit(): void {
    this.owners.register({ kind: 'giftCard', table: 'gift_cards' });
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.giftCards.removeAllOf(appId, userId));
    this.moduleSettings.register({
      field: GIFT_CARD_SETTINGS,
      change: GiftCardSettingsRequest.change,
      show: GiftCardSettingsResponse.of,
    });
  }
}
