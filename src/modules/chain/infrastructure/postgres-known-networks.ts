import { Injectable } from '@nestjs/common';
import { KnownNetworks, type NetworkBlock } from '../../../kernel/chain/known-networks.js';
import { Database } from '../../../postgres/database.js';

interface Row {
  readonly network: string;
  readonly number: string;
  readonly hash: string;
}

const COLUMNS = 'network, block_number as number, block_hash as hash';

@Injectable()
export class PostgresKnownNetworks extends KnownNetworks {
  constructor(private readonly database: Database) {
    super();
  }

  async find(network: string): Promise<NetworkBlock | null> {
    const [row] = await this.database.read<Row>(`select ${COLUMNS} from networks where network = $1`, [network]);
    return row ? blockOf(row) : null;
  }

  async remember(network: string, { number, hash }: NetworkBlock): Promise<NetworkBlock> {
    await this.database.write(
      `insert into networks (network, block_number, block_hash) values ($1, $2, $3) on conflict (network) do nothing`,
      [network, number, hash],
    );
    return (await this.find(network))!;
  }

  async all(): Promise<{ readonly network: string; readonly block: NetworkBlock }[]> {
    const rows = await this.database.read<Row>(`select ${COLUMNS} from networks order by network`);
    return rows.map((row) => ({ network: row.network, block: blockOf(row) }));
  }

  async forget(network: string): Promise<NetworkBlock | null> {
    const statement = `delete from networks where network = $1 returning ${COLUMNS}`;
    const [row] = await this.database.write<Row>(statement, [network]);
    return row ? blockOf(row) : null;
  }
}

function blockOf({ number, hash }: Row): NetworkBlock {
  return { number: Number(number), hash };
}
