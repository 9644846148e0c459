import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/named.js';
import { type OauthState, OauthStateRepository, type ReturnedState } from '../domain/oauth-state.repository.js';
import { OauthStateSchema } from './oauth-state.schema.js';

const STATE = columnsOf(OauthStateSchema, [
  'appId',
  'stateHash',
  'connectionId',
  'loginUrl',
  'registrationUrl',
  'sealedVerifier',
  'nonce',
  'browserHash',
  'codeChallenge',
]);
const ADD = named<OauthState>(
  `insert into oauth_states (${STATE.names}, expires_at) values (${STATE.values}, now() + interval '10 minutes')`,
);

// One of several concurrent calls gets the row lock. The other calls then read the updated row, which is not fresh.
const CONSUME = `
  with returned as (
    select *, consumed_at is null and expires_at > now() as is_fresh
      from oauth_states where app_id = $1 and state_hash = $2 and connection_id = $3
       for update
  ),
  spent as (
    update oauth_states s set consumed_at = now() from returned r
     where s.app_id = r.app_id and s.state_hash = r.state_hash and r.is_fresh
  )
  select ${STATE.of('returned')}, is_fresh as "isFresh"
    from returned`;

@Injectable()
export class PostgresOauthStateRepository extends OauthStateRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(state: OauthState): Promise<void> {
    await this.database.write(...ADD(state));
  }

  async consume(appId: AppId, connectionId: OauthConnectionId, stateHash: TokenHash): Promise<ReturnedState | null> {
    return (await this.database.write<ReturnedState>(CONSUME, [appId, stateHash, connectionId]))[0] ?? null;
  }
}
