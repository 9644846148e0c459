import { Injectable } from '@nestjs/common';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';
import { ServiceStops } from '../domain/service-stops.js';

const TARGET = 'service';

/** The stop of the keys of all apps. The freezes of apps, users and wallets stay beside it. */
@Injectable()
export class ServiceStop {
  constructor(
    private readonly stops: ServiceStops,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
  ) {}

  async record(by: Requester): Promise<void> {
    await this.transactions.run(async () => {
      if (await this.stops.record()) await this.auditLog.add(by, NO_APP, 'service.frozen', TARGET);
    });
  }
}
