import { KeyUsage } from '../../src/modules/apps/infrastructure/key-usage.js';
import { SqlAppDirectory } from '../../src/modules/apps/infrastructure/sql-app-directory.js';
import type { TestApp } from './app.js';

/** Writes at once which keys were used, instead of a second later. They are noted again only a minute later. */
export function writeKeyUses({ nest }: TestApp): Promise<void> {
  return nest.get(KeyUsage, { strict: false }).beforeApplicationShutdown();
}

/** Forgets keys and settings that a replica would else believe for half a second more. */
export function forgetSettings(...replicas: readonly TestApp[]): void {
  for (const { nest } of replicas) nest.get(SqlAppDirectory, { strict: false }).changed();
}
