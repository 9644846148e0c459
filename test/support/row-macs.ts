import { MacTables } from '../../src/kernel/row-macs.js';
import { SealRows } from '../../src/services/crypto/service-row-macs.js';
import type { TestApp } from './app.js';

/** Gives the rows of a table that a test has written by SQL the MACs that the service would have written. */
export async function signRows({ nest }: TestApp, name: string): Promise<void> {
  for (const table of MacTables.declared.filter(({ table }) => table === name))
    await nest.get(SealRows).compare(table, true);
}
