import type { OnApplicationShutdown } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { Log } from '../../../kernel/log.js';
import type { KeyProviderSettings } from '../../config/key-providers.js';
import { HttpMetrics } from '../../observability/metrics.js';
import { BoundedProvider, type ProviderObserver } from '../bounded-provider.js';
import { type KeyProvider, PROVIDER_FAULTS } from '../key-provider.js';
import { type ProviderName, PROVIDERS } from '../../config/key-providers.js';
import { AwsKms } from './aws-kms.js';
import { Pkcs11 } from './pkcs11.js';
import { VaultTransit } from './vault-transit.js';

export class KeyProviders implements OnApplicationShutdown {
  constructor(
    readonly all: ReadonlyMap<string, BoundedProvider>,
    readonly current: BoundedProvider | undefined,
  ) {}

  static configured(
    settings: KeyProviderSettings | undefined,
    observe?: ProviderObserver,
    log?: Pick<Log, 'error'>,
  ): KeyProviders {
    const { current, vault, awsKms, pkcs11 } = settings ?? { current: undefined };
    const made = new Map<ProviderName, KeyProvider>();
    if (vault) made.set('vault', new VaultTransit(vault));
    if (awsKms) made.set('aws-kms', new AwsKms(awsKms));
    if (pkcs11) made.set('pkcs11', new Pkcs11(pkcs11, log));
    const all = new Map([...made].map(([name, provider]) => [name, new BoundedProvider(provider, observe)]));
    return new KeyProviders(all, current && all.get(current));
  }

  onApplicationShutdown(): void {
    for (const provider of this.all.values()) provider.close();
  }
}

export function observedBy({ registry }: HttpMetrics, log: Log): ProviderObserver {
  const seconds = new Histogram({
    name: 'key_provider_seconds',
    help: 'Time of calls to the key provider.',
    labelNames: ['provider', 'operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'key_provider_failures_total',
    help: 'Calls to the key provider that failed, and calls that were not made because it had failed before.',
    labelNames: ['provider', 'fault'] as const,
    registers: [registry],
  });
  // An alert on an increase sees the first failure only if there was a sample before.
  for (const provider of PROVIDERS)
    for (const fault of [...PROVIDER_FAULTS, 'skipped']) failures.inc({ provider, fault }, 0);
  return (provider, operation, outcome, duration) => {
    if (outcome !== 'skipped') seconds.observe({ provider, operation }, duration);
    if (outcome === 'done' || outcome === 'refused') return;
    failures.inc({ provider, fault: outcome });
    if (outcome !== 'skipped') log.warn({ provider, operation, fault: outcome }, 'a call to the key provider failed');
  };
}
