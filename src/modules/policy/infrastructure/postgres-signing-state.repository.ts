import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { type SigningState, SigningStateRepository } from '../domain/signing-state.js';
import { POLICY, type PolicyRow, policyOf } from './policy-rows.js';

// One statement, so that the policies are those of the revision.
const LOAD = `
  select s.revision, s.is_frozen as "isFrozen", ${POLICY}
    from signing_states s left join policies p on p.app_id = s.app_id and p.state = 'active'
   where s.app_id = $1
   order by p.name`;

type StateRow = Pick<SigningState, 'revision' | 'isFrozen'> & (PolicyRow | { readonly id: null });

@Injectable()
export class PostgresSigningStateRepository extends SigningStateRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async load(appId: AppId): Promise<SigningState> {
    const rows = await this.database.list<StateRow>(LOAD, [appId]);
    const { revision = '', isFrozen = false } = rows[0] ?? {};
    return { revision, isFrozen, policies: rows.filter((row) => row.id !== null).map(policyOf) };
  }
}
