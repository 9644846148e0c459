import { stopAllSigning } from '../../src/cli/signing-stop.js';

const SINCE = new Date('2026-11-30T03:00:00Z');

/** A database with one app, whose row is locked by others for this many statements. */
function databaseWith(timeouts: number, code = '57014') {
  const sent: string[] = [];
  let left = timeouts;
  const query = async (sql: string): Promise<unknown> => {
    sent.push(sql.trim().split(' ', 1)[0]!);
    if (sql.includes('for update') && left-- > 0)
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code });
    if (sql.includes('from apps order by')) return [{ id: 'app_1' }];
    return [{ since: SINCE, reason: 'drill' }];
  };
  return { query, sent };
}

describe('the stop of all keys', () => {
  it('waits longer than one statement may take', async () => {
    const { query, sent } = databaseWith(3);
    expect(await stopAllSigning(query, 'drill', async () => undefined as never)).toEqual(SINCE);
    expect(sent.slice(0, 6)).toEqual(['insert', 'select', 'select', 'select', 'select', 'select']);
  });

  it.each([
    ['a transaction does not end', 1_000, '57014'],
    ['the connection is lost', 1, '08006'],
  ])('says that it is in force, and what to do, when %s', async (_, timeouts, code) => {
    const { query, sent } = databaseWith(timeouts, code);
    await expect(stopAllSigning(query, 'drill', async () => undefined as never)).rejects.toThrow(
      /^The keys are stopped, .* Run the command again\.$/,
    );
    expect(sent[0]).toBe('insert');
  });
});
