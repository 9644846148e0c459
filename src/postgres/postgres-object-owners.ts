import { Injectable } from '@nestjs/common';
import { type AppId, kindOf } from '../kernel/ids.js';
import { type ObjectOwner, ObjectOwners, type OwnedRows } from '../kernel/object-owners.js';
import { Registry } from '../kernel/registry.js';
import { Database } from './database.js';

const ownerIn = ({ table, user = 'user_id', wallet = 'null', where = 'true' }: OwnedRows): string =>
  `select ${user} as "userId", ${wallet} as "walletId" from ${table} where app_id = $1 and id = $2 and ${where} limit 1`;

@Injectable()
export class PostgresObjectOwners extends ObjectOwners {
  private readonly statements = new Registry<string>('The owner of');

  constructor(private readonly database: Database) {
    super();
  }

  register(rows: OwnedRows): void {
    this.statements.add(rows.kind, ownerIn(rows));
  }

  async find(appId: AppId, id: string): Promise<ObjectOwner | null> {
    const statement = this.statements.get(kindOf(id) ?? '');
    if (statement === undefined) return null;
    const [owner] = await this.database.read<ObjectOwner>(statement, [appId, id]);
    return owner ?? null;
  }

  async hold(appId: AppId, id: string): Promise<ObjectOwner | null> {
    const statement = this.statements.get(kindOf(id) ?? '');
    if (statement === undefined) return null;
    const [owner] = await this.database.write<ObjectOwner>(`${statement} for key share`, [appId, id]);
    return owner ?? null;
  }
}
