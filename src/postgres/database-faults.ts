import { ID_ALPHABET } from '../kernel/ids.js';

/** Two characters are enough: where a language sorts otherwise, it has letters of two characters (`aa`, `ch`) or moves one. */
const DATABASE = `
  select current_setting('server_encoding') as encoding,
         array_agg(pair order by pair) = array_agg(pair order by pair collate "C") as "sortsIds"
    from (select a || b as pair from regexp_split_to_table('${ID_ALPHABET}', '') a, regexp_split_to_table('${ID_ALPHABET}', '') b) pairs`;

/** The faults in the form of the database, one sentence each. It was chosen when the database was created. */
export async function databaseFaults(query: <R extends object>(sql: string) => Promise<R[]>): Promise<string[]> {
  const [row] = await query<{ encoding: string; sortsIds: boolean }>(DATABASE);
  const { encoding, sortsIds } = row!;
  const faults: string[] = [];
  if (encoding !== 'UTF8')
    faults.push(`The database has the encoding ${encoding}, which changes or refuses texts of clients.`);
  if (!sortsIds)
    faults.push(
      'The database sorts by a language whose order of letters differs from that of ids: lists and ranges of time miss entries.',
    );
  return faults;
}
