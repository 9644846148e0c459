import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnownNetworks, Chains } from '../../kernel/chain/chain.js';
import { Log } from '../../kernel/log.js';
import { Config } from '../../services/config/config.js';
import { HostNames } from '../../services/outbound/host-names.js';
import { AppsModule } from '../apps/index.js';
import { EndpointChecks } from './endpoint-checks.js';
import { ManagedNetworksController } from './http/managed-networks.controller.js';
import { NetworksController } from './http/networks.controller.js';
import { configuredChains } from './infrastructure/configured-chains.js';
import { EndpointMetrics } from './infrastructure/endpoint-comparison.js';
import { KnownNetworkSchema, TypeormKnownNetworks } from './infrastructure/typeorm-known-networks.js';

@Module({
  controllers: [NetworksController, ManagedNetworksController],
  imports: [AppsModule, TypeOrmModule.forFeature([KnownNetworkSchema])],
  providers: [
    EndpointChecks,
    EndpointMetrics,
    { provide: KnownNetworks, useClass: TypeormKnownNetworks },
    {
      provide: Chains,
      inject: [Config, Log, HostNames, KnownNetworks, EndpointMetrics],
      useFactory: configuredChains,
    },
  ],
  exports: [Chains, KnownNetworks],
})
export class ChainModule {}
