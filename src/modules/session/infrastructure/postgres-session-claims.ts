import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { type SessionClaim, SessionClaims } from '../domain/session-jwt.js';

const bounded = ({ value, maxBytes }: SessionClaim): string =>
  `(select case when octet_length(v::text) <= ${maxBytes} then v end from (${value}) as claim(v))`;

@Injectable()
export class PostgresSessionClaims extends SessionClaims {
  constructor(private readonly database: Database) {
    super();
  }

  async of(appId: AppId, userId: UserId): Promise<Readonly<Record<string, unknown>>> {
    if (this.claims.size === 0) return {};
    const values = [...this.claims.values()].map(bounded).join(', ');
    const [row] = await this.database.read<{ values: readonly unknown[] }>(
      `select jsonb_build_array(${values}) as values`,
      [appId, userId],
    );
    const named = [...this.claims.keys()].map((name, index) => [name, row!.values[index]] as const);
    return Object.fromEntries(named.filter(([, value]) => value !== null));
  }
}
