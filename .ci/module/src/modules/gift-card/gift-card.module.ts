import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/index.js';
import { CreateGiftCard } from './application/create-gift-card.js';
import { GiftCardRepository } from './domain/gift-card.js';
import { GiftCardController } from './http/gift-card.controller.js';
import { GiftCardSchema, TypeormGiftCardRepository } from './infrastructure/typeorm-gift-card.repository.js';

/** The gift cards of apps. */
@Module({
  imports: [AppsModule, TypeOrmModule.forFeature([GiftCardSchema])],
  controllers: [GiftCardController],
  providers: [{ provide: GiftCardRepository, useClass: TypeormGiftCardRepository }, CreateGiftCard],
})
export class GiftCardModule {}
