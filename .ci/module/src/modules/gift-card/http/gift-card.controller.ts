import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { AuthenticatedApp } from '../../../edge/auth/credential.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import type { GiftCardId } from '../../../kernel/ids.js';
import { AppNotFound } from '../../apps/index.js';
import { CreateGiftCard } from '../application/create-gift-card.js';
import { GiftCardNotFound, GiftCardRepository } from '../domain/gift-card.js';
import { CreateGiftCardRequest, GiftCardListResponse, GiftCardResponse, ListGiftCardsQuery } from './gift-card.dto.js';

@OperationGroup({ name: 'gift cards', description: 'The gift cards of an app.', after: 'wallets' })
@Controller('v1/gift_cards')
export class GiftCardController {
  constructor(
    private readonly giftCards: GiftCardRepository,
    private readonly createGiftCard: CreateGiftCard,
  ) {}

  /**
   * Create a gift card
   *
   * @remarks Publishes the event `gift_card.created`.
   */
  @Post()
  @HttpCode(200)
  @SecretKey()
  @Refuses(AppNotFound)
  async create(@App() app: AuthenticatedApp, @Body() { name }: CreateGiftCardRequest): Promise<GiftCardResponse> {
    return GiftCardResponse.of(await this.createGiftCard.execute(app.id, { name }));
  }

  /**
   * List the gift cards of an app
   *
   * @remarks Returns the gift cards, the newest first.
   */
  @Get()
  @SecretKey()
  async list(@App() app: AuthenticatedApp, @Query() query: ListGiftCardsQuery): Promise<GiftCardListResponse> {
    return GiftCardListResponse.of(await this.giftCards.list(app.id, pageIn(query)));
  }

  /**
   * Get a gift card
   *
   * @remarks Returns one gift card of the app.
   */
  @Get(':giftcard_id')
  @SecretKey()
  @Refuses(GiftCardNotFound)
  async get(
    @App() app: AuthenticatedApp,
    @PathId('giftcard_id', 'giftCard', GiftCardNotFound) id: GiftCardId,
  ): Promise<GiftCardResponse> {
    return GiftCardResponse.of(await this.giftCards.get(app.id, id));
  }
}
