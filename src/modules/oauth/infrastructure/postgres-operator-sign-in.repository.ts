import { Injectable } from '@nestjs/common';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { NO_APP } from '../../apps/index.js';
import { OperatorSignInRepository } from '../domain/operator-sign-in.repository.js';

// A state lives 10 minutes by the clock of the replica that began the sign-in.
const SPEND = `
  insert into operator_sign_ins (app_id, state_hash, expires_at) values ($1, $2, now() + interval '20 minutes')
  on conflict (app_id, state_hash) do nothing
  returning 1`;

@Injectable()
export class PostgresOperatorSignInRepository extends OperatorSignInRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async spend(stateHash: TokenHash): Promise<boolean> {
    return (await this.database.write(SPEND, [NO_APP, stateHash])).length > 0;
  }
}
