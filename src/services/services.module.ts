import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import { ConfiguredNetworks } from '../kernel/chain/networks.js';
import { NodeCalls } from '../kernel/chain/node-calls.js';
import { AppKeys } from '../kernel/app-keys.js';
import { Clock } from '../kernel/clock.js';
import { Jobs } from '../kernel/jobs.js';
import { SendLimits, WrongTries } from '../kernel/limits.js';
import { Mailer, Texts } from '../kernel/messages.js';
import { DomainEvents } from '../kernel/domain-events.js';
import type { AppId } from '../kernel/ids.js';
import { Retention } from '../kernel/retention.js';
import { SecretTokens } from '../kernel/secret-tokens.js';
import { RowMacs } from '../kernel/row-macs.js';
import { ServiceKeys } from '../kernel/service-keys.js';
import { Transactions } from '../kernel/transactions.js';
import { SealedColumns, Vault } from '../kernel/vault.js';
import { Config } from './config/config.js';
import { configuredNetworks } from './config/networks.js';
import { EnvelopeVault } from './crypto/envelope-vault.js';
import { type Query, verifyKeyring } from './crypto/key-check.js';
import { KeyWrapper, KeyringKeyWrapper } from './crypto/keyring-key-wrapper.js';
import { Keyring } from './crypto/keyring.js';
import { ProviderKeyWrapper, registerKeyMetrics } from './crypto/provider-key-wrapper.js';
import { EscrowTable } from './crypto/escrow/escrow-table.js';
import { KeyStatus } from './crypto/key-status.js';
import { MoveKeys } from './crypto/move-keys.js';
import { KeyProviders, observedBy } from './crypto/providers/key-providers.js';
import { WrappingKeyTable } from './crypto/wrapping-key-table.js';
import { Rewrapping } from './crypto/rewrapping.js';
import { RandomSecretTokens } from './crypto/random-secret-tokens.js';
import { SealAlarms } from './crypto/seal-alarms.js';
import { SealingKeys } from './crypto/sealing-keys.js';
import { UnkeyedHashes } from './crypto/unkeyed-hashes.js';
import { SealRows, ServiceRowMacs } from './crypto/service-row-macs.js';
import { AwaitedKeys, openServiceSecret, SERVICE_SECRET_COLUMN } from './crypto/service-secret.js';
import { Database } from '../postgres/database.js';
import { SystemClock } from './system-clock.js';
import { PostgresSendLimits } from './limits/postgres-send-limits.js';
import { PostgresWrongTries, WRONG_TRIES_END } from './limits/postgres-wrong-tries.js';
import { Log } from '../kernel/log.js';
import './personal-data.js';
import { registerDatabaseMetrics, HttpMetrics } from './observability/metrics.js';
import { TransactionalEvents } from './transactional-events.js';
import { jobBinding, JobQueue } from './jobs/job-queue.js';
import { WaitingJobs } from './jobs/waiting-jobs.js';
import { PostgresJobs } from './jobs/postgres-jobs.js';
import { Deliveries } from './mail/deliveries.js';
import { MessageLog } from './mail/message-log.js';
import { MessageSchema } from './mail/message.schema.js';
import { QueuedMailer } from './mail/queued-mailer.js';
import { HostNames } from './outbound/host-names.js';
import { Outbound } from './outbound/outbound.js';
import { RefusalCounts } from './refusals/refusal-counts.js';
import { QueuedTexts } from './sms/queued-texts.js';

export interface ServicesSettings {
  readonly config: Config;
  readonly logger: Logger;
}

const TEN_MINUTES = 600;

@Global()
@Module({})
export class ServicesModule implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly rewrapping: Rewrapping,
    private readonly database: Database,
    private readonly metrics: HttpMetrics,
  ) {}

  onModuleInit(): void {
    registerDatabaseMetrics(this.metrics.registry, () => this.database.connectionUse);
    this.retention.register({ table: 'send_counts', endedWhen: 'expires_at', everySeconds: TEN_MINUTES });
    this.retention.register({ table: 'message_statistics', endedWhen: 'hour', after: '400 days' });
    this.retention.register({ table: 'messages', endedWhen: 'created_at', after: '30 days' });
    this.retention.register({ table: 'refusal_batches', endedWhen: 'stored_at', after: '1 day' });
    this.retention.register({ table: 'wrong_tries', endedWhen: WRONG_TRIES_END, everySeconds: TEN_MINUTES });
    this.rewrapping.register(SERVICE_SECRET_COLUMN);
    this.rewrapping.register({
      table: 'jobs',
      column: 'payload',
      key: ['id'],
      reads: ['kind'],
      owner: 'app_id',
      context: (row) => jobBinding(String(row['kind']), String(row['id']), row['app_id'] as AppId | null),
    });
  }

  static with({ config, logger }: ServicesSettings): DynamicModule {
    return {
      module: ServicesModule,
      imports: [TypeOrmModule.forFeature([MessageSchema])],
      providers: [
        { provide: Config, useValue: config },
        { provide: Log, useValue: logger },
        { provide: Clock, useClass: SystemClock },
        { provide: DomainEvents, useClass: TransactionalEvents },
        { provide: Keyring, useFactory: () => Keyring.load(config) },
        {
          // Nothing is sealed while providers are made, so the master keys are verified before the first use of the vault.
          provide: ServiceKeys,
          inject: [Database, Transactions, Keyring, Vault, Log],
          useFactory: (database: Database, transactions: Transactions, keyring: Keyring, vault: Vault, log: Log) => {
            const query: Query = (sql, parameters) => database.write(sql, parameters);
            const seals = !config.hasKeyProvider;
            return AwaitedKeys.open(
              () =>
                transactions.run(async () =>
                  openServiceSecret(query, vault, await verifyKeyring(query, keyring, seals)),
                ),
              log,
            );
          },
        },
        {
          provide: SecretTokens,
          inject: [ServiceKeys, Database, Transactions, Keyring, Log],
          useFactory: async (
            keys: ServiceKeys,
            database: Database,
            transactions: Transactions,
            keyring: Keyring,
            log: Log,
          ) => {
            const tokens = new RandomSecretTokens(keys);
            const hashes = new UnkeyedHashes(database, transactions, keyring, tokens);
            await hashes.keyUntil(config.unkeyedHashesUntil, log);
            return tokens;
          },
        },
        {
          provide: KeyWrapper,
          inject: [Keyring, KeyProviders, WrappingKeyTable, SealingKeys, SealAlarms, HttpMetrics],
          useFactory: (
            keyring: Keyring,
            providers: KeyProviders,
            table: WrappingKeyTable,
            values: SealingKeys,
            alarms: SealAlarms,
            metrics: HttpMetrics,
          ): KeyWrapper => {
            const masterKeys = new KeyringKeyWrapper(keyring);
            if (!config.keyProviders) return masterKeys;
            const wrapper = new ProviderKeyWrapper(providers, table, values, masterKeys, alarms.raise);
            registerKeyMetrics(metrics, wrapper, table);
            return wrapper;
          },
        },
        {
          provide: KeyProviders,
          inject: [HttpMetrics, Log],
          useFactory: (metrics: HttpMetrics, log: Log) =>
            KeyProviders.configured(config.keyProviders, config.keyProviders && observedBy(metrics, log), log),
        },
        WrappingKeyTable,
        SealingKeys,
        EscrowTable,
        KeyStatus,
        MoveKeys,
        { provide: AppKeys, useExisting: Vault },
        SealAlarms,
        ServiceRowMacs,
        { provide: RowMacs, useExisting: ServiceRowMacs },
        SealRows,
        Rewrapping,
        { provide: SealedColumns, useExisting: Rewrapping },
        {
          provide: Vault,
          inject: [KeyWrapper, SealAlarms],
          useFactory: (wrapper: KeyWrapper, alarms: SealAlarms) =>
            new EnvelopeVault(wrapper, alarms.raise, config.hasKeyProvider),
        },
        { provide: Jobs, useClass: PostgresJobs },
        { provide: SendLimits, useClass: PostgresSendLimits },
        { provide: WrongTries, useClass: PostgresWrongTries },
        Deliveries,
        MessageLog,
        WaitingJobs,
        { provide: Mailer, useClass: QueuedMailer },
        { provide: Texts, useClass: QueuedTexts },
        JobQueue,
        RefusalCounts,
        { provide: HostNames, useValue: new HostNames(config) },
        Outbound,
        { provide: ConfiguredNetworks, useValue: configuredNetworks(config.networks) },
        { provide: NodeCalls, useValue: new NodeCalls(config.networks.map(({ name }) => name)) },
        HttpMetrics,
      ],
      exports: [
        Config,
        Log,
        Clock,
        DomainEvents,
        SecretTokens,
        ServiceKeys,
        RowMacs,
        SealRows,
        Vault,
        AppKeys,
        KeyProviders,
        KeyStatus,
        MoveKeys,
        SealedColumns,
        Rewrapping,
        Jobs,
        SendLimits,
        WrongTries,
        Mailer,
        Texts,
        MessageLog,
        WaitingJobs,
        RefusalCounts,
        HttpMetrics,
        Outbound,
        HostNames,
        ConfiguredNetworks,
        NodeCalls,
      ],
    };
  }
}
