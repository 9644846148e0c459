import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { Database } from '../../../postgres/database.js';
import { type SessionClaim, SessionClaims } from '../domain/session-jwt.js';

interface Bounded {
  readonly value: unknown;
  readonly bytes: number;
}

const bounded = ({ value, maxBytes }: SessionClaim): string =>
  `(select jsonb_build_object('value', case when octet_length(v::text) <= ${maxBytes} then v end, 'bytes', octet_length(v::text))
      from (${value}) as claim(v) where v is not null)`;

@Injectable()
export class PostgresSessionClaims extends SessionClaims {
  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {
    super();
  }

  async of(appId: AppId, userId: UserId): Promise<Readonly<Record<string, unknown>>> {
    if (this.claims.size === 0) return {};
    const values = [...this.claims.values()].map(bounded).join(', ');
    const [row] = await this.database.read<{ values: readonly (Bounded | null)[] }>(
      `select jsonb_build_array(${values}) as values`,
      [appId, userId],
    );
    const named = [...this.claims.values()].flatMap(({ name, maxBytes }, index) => {
      const claim = row!.values[index] ?? null;
      if (claim !== null && claim.bytes > maxBytes)
        this.log.warn({ app_id: appId, user_id: userId, claim: name, bytes: claim.bytes }, 'claim too large');
      return claim === null || claim.value === null ? [] : [[name, claim.value] as const];
    });
    return Object.fromEntries(named);
  }
}
