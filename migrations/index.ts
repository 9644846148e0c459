import type { MigrationInterface } from 'typeorm';
import { CreateEvents1763600000000 } from './1763600000000-create-events.js';
import { CreateIdempotencyKeys1763600000050 } from './1763600000050-create-idempotency-keys.js';
import { CreateMasterKeys1763600000100 } from './1763600000100-create-master-keys.js';

/** All migrations, oldest first. A released one is never changed. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  CreateEvents1763600000000,
  CreateIdempotencyKeys1763600000050,
  CreateMasterKeys1763600000100,
];
