import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { requireAllWalletsWithin } from '../../../../kernel/key-restriction.js';
import type { WalletId, AppId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { type AuthenticatedApp, bindingOf } from '../../../../edge/http/authenticated-request.js';
import { App, ManagementKey, RequestedBy, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import { UserInactive, UserNotFound } from '../../../identity/index.js';
import { APPROVAL_REFUSALS, ApprovableChange, FreezeObject, WalletFreezeResponse } from '../../../policy/index.js';
import { ManageWallets } from '../application/manage-wallets.js';
import { WalletNotFound } from '../domain/wallet.errors.js';
import { WalletRepository } from '../domain/wallet.repository.js';
import { CreateWalletRequest, ListWalletsRequest, ListWalletsResponse, ListManagedWalletsQuery } from './wallet.dto.js';
import { WalletResponse } from './exported-wallet.dto.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';

@ApiTags('wallets')
@Controller('v1/wallets')
export class WalletController {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly manage: ManageWallets,
  ) {}

  /**
   * Create a wallet
   *
   * @remarks The user's default wallet of the type: the one there is, else a new one whose key the service makes and keeps.
   */
  @Post('create')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Beta()
  @Refuses(UserNotFound, UserInactive)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateWalletRequest): Promise<WalletResponse> {
    requireAllWalletsWithin(bindingOf(app));
    return WalletResponse.of(await this.manage.create(app.id, body.user_id, body.wallet_type));
  }

  /**
   * List wallets
   *
   * @remarks Returns the wallets of the app, the newest first, of one user if `user_id` is given.
   */
  @Get('list')
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  async list(@App() app: AuthenticatedApp, @Query() query: ListWalletsRequest): Promise<ListWalletsResponse> {
    const binding = bindingOf(app);
    const userId = query.user_id ?? binding?.userId ?? undefined;
    const filter = { userId, ids: binding?.walletIds ?? undefined };
    return ListWalletsResponse.of(await this.wallets.list(app.id, pageIn(query), filter));
  }

  /**
   * Get a wallet
   *
   * @remarks Returns the wallet with its address.
   */
  @Get(':wallet_id')
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  async get(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
  ): Promise<WalletResponse> {
    const wallet = await this.wallets.find(app.id, walletId);
    if (!wallet) throw new WalletNotFound();
    return WalletResponse.of(wallet);
  }
}

/** An app's wallets, for operators. */
@ApiTags('management: wallets')
@Controller('management/v1/apps/:app_id/wallets')
export class ManagedWalletsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletRepository,
    private readonly freezes: FreezeObject,
  ) {}

  /**
   * List an app's wallets
   *
   * @remarks Returns the wallets of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListManagedWalletsQuery,
  ): Promise<ListWalletsResponse> {
    await this.apps.requireLive(appId);
    return ListWalletsResponse.of(await this.wallets.list(appId, pageIn(query), { userId: query.user_id }));
  }

  /**
   * Freeze a wallet
   *
   * @remarks Once the call has returned, the wallet signs nothing on any replica: no message, no transaction, no payment, no replacement and
   * no export (403 `wallet_frozen`). Nothing that was signed before is sent again, but its chain may still carry it out. A queued transfer waits.
   * An operator may still cancel a transfer. A repeated call keeps `frozen_at`.
   */
  @Post(':wallet_id/freeze')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async freeze(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
  ): Promise<WalletFreezeResponse> {
    const frozenAt = await this.freezes.freeze(by, appId, walletId);
    if (!frozenAt) throw new WalletNotFound();
    return WalletFreezeResponse.of(walletId, frozenAt);
  }

  /**
   * Thaw a wallet
   *
   * @remarks The wallet signs again, unless its user or its app is frozen. If the app has `policy_change`, this needs an approval.
   */
  @Post(':wallet_id/thaw')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('operator', { needsProof: true })
  @Refuses(...APPROVAL_REFUSALS)
  async thaw(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() { approval_id: approvalId }: ApprovableChange,
  ): Promise<WalletFreezeResponse> {
    if (!(await this.freezes.thaw({ by, appId, approvalId }, walletId))) throw new WalletNotFound();
    return WalletFreezeResponse.of(walletId, null);
  }
}
