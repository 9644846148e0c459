import { Client } from 'pg';
import * as migrations from '../../migrations/index.js';
import { createDatabase } from '../support/database.js';

describe('a database for tests', () => {
  it('has every migration, shares nothing with another, and is gone when dropped', async () => {
    const databases = await Promise.all(Array.from({ length: 5 }, () => createDatabase()));
    const [first, second] = databases;
    expect(await query(first!.url, 'select from migrations')).toHaveLength(Object.keys(migrations).length);
    await query(first!.url, 'create table mine ()');
    await expect(query(second!.url, 'select from mine')).rejects.toMatchObject({ code: '42P01' });
    for (const database of databases) await database.drop();
    await expect(query(first!.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
