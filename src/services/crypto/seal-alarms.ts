import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Log } from '../../kernel/log.js';
import { contextIn, type SealedColumn } from '../../kernel/vault.js';
import { HttpMetrics } from '../observability/metrics.js';
import type { SealAlarm } from './envelope-vault.js';

/** Only ids are logged: other parts of a context may be addresses. */
const ID = /^[a-z]+_[0-9a-z]+$/;

/** A failure means that the row was altered, moved or restored from another database, or that a master key is missing. */
@Injectable()
export class SealAlarms {
  private readonly failures: Counter<'kind'>;

  constructor(
    { registry }: HttpMetrics,
    private readonly log: Log,
  ) {
    this.failures = new Counter({
      name: 'seal_failures_total',
      help: 'Sealed values that did not open, and rows whose MAC was wrong, by kind. Every failure is an alert.',
      labelNames: ['kind'] as const,
      registers: [registry],
    });
  }

  /** Gives the kind of a column's values a sample, so that an alert on an increase sees the first failure. */
  expect({ context }: SealedColumn): void {
    this.expectKind(contextIn(context(ROW_OF_EMPTY_TEXTS))[0]);
  }

  expectKind(kind: string): void {
    this.failures.inc({ kind }, 0);
  }

  readonly raise: SealAlarm = ([kind, ...parts], { message }) => {
    this.failures.inc({ kind });
    const ids = parts.filter((part) => ID.test(part));
    this.log.error({ alert: 'seal_failure', kind, ids, reason: message }, 'A sealed value did not open.');
  };
}

const ROW_OF_EMPTY_TEXTS = new Proxy<Readonly<Record<string, unknown>>>({}, { get: () => '' });
