import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { App, ManagementKey, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import type { AppId, GiftCardId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { UserInactive, UserNotFound } from '../../identity/index.js';
import { ManageGiftCards } from '../application/manage-gift-cards.js';
import { GiftCardNotFound, GiftCardRedeemed, GiftCardRepository, TooManyGiftCards } from '../domain/gift-card.js';
import {
  CreateGiftCardRequest,
  GiftCardListResponse,
  GiftCardResponse,
  ListGiftCardsQuery,
  ListManagedGiftCardsQuery,
} from './gift-card.dto.js';

@OperationGroup({ name: 'gift cards', description: 'The gift cards of users.', after: 'wallets' })
@Controller('v1/gift_cards')
export class GiftCardController {
  constructor(
    private readonly giftCards: GiftCardRepository,
    private readonly manage: ManageGiftCards,
  ) {}

  /**
   * Create a gift card
   *
   * @remarks Publishes the event `gift_card.created`. `gift_card_settings` of the app bounds the gift cards of a user.
   */
  @Post()
  @HttpCode(200)
  @SecretKey()
  @Refuses(AppNotFound, UserNotFound, UserInactive, TooManyGiftCards)
  async create(
    @App() app: AuthenticatedApp,
    @Body() { user_id: userId, name }: CreateGiftCardRequest,
  ): Promise<GiftCardResponse> {
    return GiftCardResponse.of(await this.manage.create(app.id, { userId, name }));
  }

  /**
   * Redeem a gift card
   *
   * @remarks Publishes the event `gift_card.redeemed`. A gift card is redeemed once.
   */
  @Post(':giftcard_id/redeem')
  @HttpCode(200)
  @SecretKey()
  @Refuses(GiftCardRedeemed)
  async redeem(
    @App() app: AuthenticatedApp,
    @PathId('giftcard_id', 'giftCard', GiftCardNotFound) id: GiftCardId,
  ): Promise<GiftCardResponse> {
    return GiftCardResponse.of(await this.manage.redeem(app.id, id));
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
  async get(
    @App() app: AuthenticatedApp,
    @PathId('giftcard_id', 'giftCard', GiftCardNotFound) id: GiftCardId,
  ): Promise<GiftCardResponse> {
    return GiftCardResponse.of(await this.giftCards.get(app.id, id));
  }
}

/** The gift cards of an app, for operators. */
@OperationGroup({
  name: 'management: gift cards',
  description: 'The gift cards of the users of an app.',
  after: 'management: wallets',
})
@Controller('management/v1/apps/:app_id/gift_cards')
export class ManagedGiftCardsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly giftCards: GiftCardRepository,
  ) {}

  /**
   * List the gift cards of an app
   *
   * @remarks Returns the gift cards of all users, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedGiftCardsQuery,
  ): Promise<GiftCardListResponse> {
    await this.apps.requireLive(appId);
    return GiftCardListResponse.of(await this.giftCards.list(appId, pageIn(query)));
  }
}
