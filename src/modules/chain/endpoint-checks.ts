import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Chains } from '../../kernel/chain/chain.js';

/** A network whose nodes are on another chain must be reported within a minute. */
const EVERY_MS = 30_000;

/** Every process compares the endpoints that it uses: another process may not reach the same nodes. */
@Injectable()
export class EndpointChecks implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly chains: Chains) {}

  /** Only the service calls it: commands need no checks. */
  begin(): void {
    void this.chains.checkEndpoints();
    this.timer = setInterval(() => void this.chains.checkEndpoints(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
