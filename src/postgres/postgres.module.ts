import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ObjectOwners } from '../kernel/object-owners.js';
import { PersonalDataStore } from '../kernel/personal-data.js';
import { Retention } from '../kernel/retention.js';
import { Transactions } from '../kernel/transactions.js';
import { ConnectionWatchdog } from './connection-watchdog.js';
import { type DatabaseSettings, dataSourceOptions } from './data-source.js';
import { Database } from './database.js';
import { DatabaseProbe } from './database-probe.js';
import { EventStore } from './event-store.js';
import { PostgresObjectOwners } from './postgres-object-owners.js';
import { PostgresPersonalData } from './postgres-personal-data.js';
import { PostgresTransactions } from './postgres-transactions.js';
import { PostgresRetention } from './retention.js';
import { SeparateConnections } from './separate-connections.js';
import { SharedConnections } from './shared-connections.js';
import { SlowReads } from './slow-reads.js';

@Global()
@Module({})
export class PostgresModule {
  static with(settings: DatabaseSettings, databaseUrl: string): DynamicModule {
    return {
      module: PostgresModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions(settings, databaseUrl),
          autoLoadEntities: true,
          retryAttempts: 5,
          retryDelay: 500,
        }),
      ],
      providers: [
        ConnectionWatchdog,
        Database,
        DatabaseProbe,
        EventStore,
        PostgresTransactions,
        { provide: Transactions, useExisting: PostgresTransactions },
        { provide: ObjectOwners, useClass: PostgresObjectOwners },
        { provide: PersonalDataStore, useClass: PostgresPersonalData },
        PostgresRetention,
        { provide: Retention, useExisting: PostgresRetention },
        SeparateConnections,
        SharedConnections,
        SlowReads,
      ],
      exports: [
        Database,
        DatabaseProbe,
        EventStore,
        ObjectOwners,
        PersonalDataStore,
        PostgresTransactions,
        Transactions,
        Retention,
        SeparateConnections,
        SlowReads,
      ],
    };
  }
}
