import type { Client } from 'pg';

/** The rows that a backup has of one sender queue. */
export interface QueueBackup {
  readonly address: string;
  readonly rows: Readonly<Record<Table, readonly object[]>>;
}

/** In the order in which their rows are inserted. */
const TABLES = {
  transfers: 'source_address',
  transfer_attempts: 'address',
  sender_queues: 'address',
  history_searches: 'address',
} as const;
type Table = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as Table[];

export async function backUpQueue(database: Client, address: string): Promise<QueueBackup> {
  const rows: Partial<Record<Table, object[]>> = {};
  for (const table of NAMES) {
    const read = await database.query<{ row: object }>(
      `select to_jsonb(t) as row from ${table} t where ${TABLES[table]} = $1`,
      [address],
    );
    rows[table] = read.rows.map(({ row }) => row);
  }
  return { address, rows: rows as QueueBackup['rows'] };
}

/** Puts the rows of the backup in the place of the current ones, `former`: as a restored backup has them, in another history. */
export async function restoreQueue(
  database: Client,
  { address, rows }: QueueBackup,
  { former = false } = {},
): Promise<void> {
  await database.query('begin');
  for (const table of NAMES.toReversed()) {
    await database.query(`delete from ${table} where ${TABLES[table]} = $1`, [address]);
  }
  for (const table of NAMES) {
    for (const row of rows[table]) {
      await database.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [row]);
    }
  }
  if (former) {
    await database.query(`update transfers set history = 'former' where source_address = $1`, [address]);
    await database.query(
      `update sender_queues set history = case when history = '' then '' else 'former' end,
              held_in = case when held_in is not null then 'former' end where address = $1`,
      [address],
    );
  }
  await database.query('commit');
}
