import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Chains, KnownNetworks } from '../../kernel/chain/chain.js';
import { ConfiguredNetworks } from '../../kernel/chain/networks.js';
import { clusterOf } from './infrastructure/solana/solana-node.js';

/** A network whose nodes are on another chain must be reported within a minute. */
const EVERY_MS = 30_000;

/** Every process compares the endpoints that it uses: another process may not reach the same nodes. */
@Injectable()
export class EndpointChecks implements OnApplicationShutdown, OnModuleInit {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly chains: Chains,
    private readonly networks: ConfiguredNetworks,
    private readonly stored: KnownNetworks,
  ) {}

  /** Before policies are bound to their networks. */
  onModuleInit(): Promise<void> {
    return this.identify();
  }

  /** Only the service calls it: commands need no checks. */
  begin(): void {
    void this.check();
    this.timer = setInterval(() => void this.check(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    await this.chains.checkEndpoints();
    // Without the database the ids stay as they are.
    await this.identify().catch(() => undefined);
  }

  private async identify(): Promise<void> {
    const known = await this.stored.all();
    this.networks.identify(new Map(known.map(({ network, block }) => [network, clusterOf(block)])));
  }
}
