import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Chains } from '../../kernel/chain/chain.js';

const EVERY_MS = 60_000;

/** Compares the endpoints of all chains each minute, in every process that uses them: another process may not reach the same nodes. */
@Injectable()
export class EndpointChecks implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly chains: Chains) {}

  /** To be called by the service alone: commands need no checks. */
  begin(): void {
    void this.chains.checkEndpoints();
    this.timer = setInterval(() => void this.chains.checkEndpoints(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
