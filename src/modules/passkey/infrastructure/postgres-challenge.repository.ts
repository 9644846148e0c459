import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import {
  type Challenge,
  CHALLENGE_SECONDS,
  type ChallengePurpose,
  ChallengeRepository,
} from '../domain/authenticators.js';

const ADD = `
  insert into webauthn_challenges (app_id, challenge_hash, purpose, user_id, expires_at)
  values ($1, $2, $3, $4, now() + interval '${CHALLENGE_SECONDS} seconds')`;

// A DELETE that waits for another one finds the row gone.
const SPEND = `
  delete from webauthn_challenges
   where app_id = $1 and challenge_hash = $2 and purpose = $3 and (user_id is null or user_id = $4) and expires_at > now()
  returning challenge_hash as hash, purpose, user_id as "userId"`;

const REMOVE_ALL_OF = `delete from webauthn_challenges where app_id = $1 and user_id = $2 returning app_id`;

@Injectable()
export class PostgresChallengeRepository extends ChallengeRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(appId: AppId, { hash, purpose, userId }: Challenge): Promise<void> {
    await this.database.write(ADD, [appId, hash, purpose, userId]);
  }

  async spend(appId: AppId, hash: TokenHash, purpose: ChallengePurpose, userId: UserId): Promise<Challenge | null> {
    return (await this.database.write<Challenge>(SPEND, [appId, hash, purpose, userId]))[0] ?? null;
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REMOVE_ALL_OF, [appId, userId])).length;
  }
}
