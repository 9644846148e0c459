import { Counter, type Registry } from 'prom-client';
import type { Log } from '../../kernel/log.js';
import type { SealAlarm } from './envelope-vault.js';

/** Only ids are logged: other parts of a context may be addresses. */
const ID = /^[a-z]+_[0-9a-z]+$/;

/** Counts and logs each seal that does not open: its row was altered, moved or restored from another database, or a master key is missing. */
export function sealAlarm(registry: Registry, log: Log): SealAlarm {
  const failures = new Counter({
    name: 'seal_failures_total',
    help: 'Sealed values that did not open, by the kind of value. Every failure is an alert.',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  return ([kind, ...parts], { message }) => {
    failures.inc({ kind });
    const ids = parts.filter((part) => ID.test(part));
    log.error({ alert: 'seal_failure', kind, ids, reason: message }, 'A sealed value did not open.');
  };
}
