import { Module } from '@nestjs/common';
import { Chains } from '../../kernel/chain/chain.js';
import { Log } from '../../kernel/log.js';
import { Config } from '../../services/config/config.js';
import { HostNames } from '../../services/outbound/host-names.js';
import { configuredChains } from './infrastructure/configured-chains.js';

/** The networks money moves on: their nodes, fees, transactions and the proofs of what happened. */
@Module({
  providers: [{ provide: Chains, inject: [Config, Log, HostNames], useFactory: configuredChains }],
  exports: [Chains],
})
export class ChainModule {}
