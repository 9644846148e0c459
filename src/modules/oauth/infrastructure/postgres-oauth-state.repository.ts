import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { type OauthState, OauthStateRepository, type ReturnedState } from '../domain/oauth-state.repository.js';

const ADD = `
  insert into oauth_states (app_id, state_hash, connection_id, login_url, registration_url, sealed_verifier, nonce, browser_hash,
    code_challenge, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '10 minutes')`;

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
  select app_id as "appId", state_hash as "stateHash", connection_id as "connectionId", login_url as "loginUrl",
         registration_url as "registrationUrl", sealed_verifier as "sealedVerifier", nonce, browser_hash as "browserHash",
         code_challenge as "codeChallenge", is_fresh as "isFresh"
    from returned`;

@Injectable()
export class PostgresOauthStateRepository extends OauthStateRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(state: OauthState): Promise<void> {
    await this.database.write(ADD, [
      state.appId,
      state.stateHash,
      state.connectionId,
      state.loginUrl,
      state.registrationUrl,
      state.sealedVerifier,
      state.nonce,
      state.browserHash,
      state.codeChallenge,
    ]);
  }

  async consume(appId: AppId, connectionId: OauthConnectionId, stateHash: TokenHash): Promise<ReturnedState | null> {
    return (await this.database.write<ReturnedState>(CONSUME, [appId, stateHash, connectionId]))[0] ?? null;
  }
}
