import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { Beta } from '../../../edge/http/stability.js';
import { Chains } from '../../../kernel/chain/chain.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { NetworkListResponse, NetworkResponse } from './networks.dto.js';

@ApiTags('transfers')
@Controller('v1/networks')
export class NetworksController {
  constructor(
    private readonly chains: Chains,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * List networks
   *
   * @remarks Lists all networks of the service. Its nodes are not asked: `status` is that of their last comparison, at most half a minute ago.
   */
  @Get()
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  @Refuses(AppNotFound)
  async list(@App() app: AuthenticatedApp): Promise<NetworkListResponse> {
    const enabled = await this.apps.networks(app.id);
    const isEnabled = (name: string): boolean => enabled.some((network) => network.name === name);
    return { networks: this.chains.all.map((chain) => NetworkResponse.of(chain, isEnabled(chain.name))) };
  }
}
