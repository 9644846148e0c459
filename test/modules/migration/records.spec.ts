import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskIndex } from '../../../src/modules/migration/sources/disk-index.js';
import { recordsOf, SideFile } from '../../../src/modules/migration/sources/records.js';
import { type Source, UnreadableRecord, type VendorRecord } from '../../../src/modules/migration/sources/source.js';

// Files are longer than what is read of them at once.

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'records-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function written(text: string): Promise<string> {
  const path = join(directory, 'file');
  await writeFile(path, text);
  return path;
}

const beside = (): string => join(directory, 'report');

async function read(text: string, format: Source['format']) {
  const found: { line: number; record: VendorRecord | string }[] = [];
  for await (const { line, offset, length, record } of recordsOf(await written(text), format)) {
    expect(offset + length).toBeLessThanOrEqual(Buffer.byteLength(text));
    found.push({ line, record: record instanceof UnreadableRecord ? record.message : record });
  }
  return found;
}
const recordsIn = async (text: string, format: Source['format']) =>
  (await read(text, format)).map(({ record }) => record);

/** Records of all lengths, with what ends a text or a list elsewhere. */
const RECORDS = Array.from({ length: 1_200 }, (_, n) => ({
  id: String(n),
  text: `{"]},[${'ü\\"\n'.repeat(n % 97)}\\`,
  list: [n, [{ users: ['"'] }], {}, []],
  users: [{ id: 'of another list' }],
}));

describe('the records of a file', () => {
  it.each(['\n', '\r\n'])('of lines are read (%j)', async (end) => {
    const lines = RECORDS.map((record) => JSON.stringify(record));
    expect(await recordsIn(`\uFEFF${lines.join(end)}`, 'ndjson')).toEqual(RECORDS);
    expect(await read(['', '{"id":1}', '', 'null', '{', ''].join(end), 'ndjson')).toEqual([
      { line: 2, record: { id: 1 } },
      { line: 4, record: 'is no JSON object' },
      { line: 5, record: 'is no JSON' },
    ]);
  });

  it.each([undefined, 2])('that are items of a list are read (indented by %s)', async (indent) => {
    expect(await recordsIn(`\uFEFF${JSON.stringify(RECORDS, null, indent)}`, 'json')).toEqual(RECORDS);
    const realm = {
      id: 'users',
      roles: { users: [{ id: 'none' }] },
      'more users': [[1]],
      users: RECORDS,
      clients: [{}],
    };
    expect(await recordsIn(JSON.stringify(realm, null, indent), 'json')).toEqual(RECORDS);
    for (const none of [[], { users: [] }, { realm: 'users' }, 'users'])
      expect(await recordsIn(JSON.stringify(none, null, indent), 'json')).toEqual([]);
    expect(await read('[ 1, {"id": "a"} ,\n[]]', 'json')).toEqual([
      { line: 1, record: 'is no JSON object' },
      { line: 2, record: { id: 'a' } },
      { line: 3, record: 'is no JSON object' },
    ]);
    for (const text of ['{"users":[{"id":"1"}', '[{"id":"1"},{bad}]', '{"users":{"users":[1]}}', ''])
      await expect(recordsIn(text, 'json')).rejects.toThrow('cannot be read as json');
  });

  it.each(['\n', '\r\n'])('of CSV are read (%j)', async (end) => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = RECORDS.map(({ id, text }) => [id, cell(text), ' x '].join(','));
    const texts = RECORDS.map(({ id, text }) => ({ id, text, last: ' x ' }));
    expect(await recordsIn(`\uFEFFid,"text",last${end}${rows.join(end)}${end}`, 'csv')).toEqual(texts);
    const odd = ['a,b', '"1",', '', '"2""",5" tall', `"3${end}4",x`, '1,2,3', ',""'];
    expect(await read(odd.join(end), 'csv')).toEqual([
      { line: 2, record: { a: '1', b: '' } },
      { line: 4, record: { a: '2"', b: '5" tall' } },
      { line: 5, record: { a: `3${end}4`, b: 'x' } },
      { line: 7, record: 'has another number of columns than the header' },
      { line: 8, record: { a: '', b: '' } },
    ]);
    await expect(recordsIn(`a,b${end}1,"2${end}`, 'csv')).rejects.toThrow('cannot be read as csv');
  });

  it('that is longer than the memory allows ends with a fault of the file', async () => {
    const long = 'x'.repeat(9_000_000);
    await expect(recordsIn(`{"id":"${long}"}`, 'ndjson')).rejects.toThrow('line 1 is longer than');
    await expect(recordsIn(`id\n1\n${long}\n`, 'csv')).rejects.toThrow('line 3 is longer than');
    for (const [before, after] of [
      ['[', ']'],
      ['{"id":"realm","users":[', ']}'],
    ] as const) {
      const item = (value: string) => `${before}\n{"id":"1"},\n{"id":${value}}${after}`;
      for (const value of [`"${long}"`, `1${'0'.repeat(9_000_000)}`])
        await expect(recordsIn(item(value), 'json')).rejects.toThrow('line 3 is longer than');
      await expect(recordsIn(item('['.repeat(99)), 'json')).rejects.toThrow('line 3 has more than 100 levels');
    }
    await expect(recordsIn(`{"name":"${long}","users":[]}`, 'json')).rejects.toThrow('line 1 is longer than');
  });

  it.each([
    ['of commas', `a,b\n1,2\n${','.repeat(1_000)}\n`, 'line 3 has more than 1000 columns'],
    ['that end by a carriage return', 'a,b\r1,2\r3,4\r', 'line 1 has a carriage return outside of quotes'],
    ['with a carriage return', 'a,b\n"1""\n",2\n3,x\ry\n', 'line 4 has a carriage return outside of quotes'],
    ['before the end of the file', 'a,b\n1,5" tall\r', 'line 2 has a carriage return outside of quotes'],
  ])('in rows %s end with a fault of the file', async (_, text, message) => {
    await expect(recordsIn(text, 'csv')).rejects.toThrow(message);
    const side = SideFile.of(
      await written(text),
      { format: 'csv', member: 'a', keyOf: ({ a }) => String(a) },
      beside(),
    );
    await expect(side).rejects.toMatchObject({
      line: Number(/\d+/.exec(message)),
      rule: expect.stringMatching(/line_end|too_many/),
    });
  });

  it.each<[Source['format'] & ('csv' | 'json'), string]>([
    ['csv', 'id,name\n1,語André\n2,André\n'],
    ['json', '{"users":\n[{"id":"語André"},\n{"id":"André"}]}'],
  ])('in another encoding than UTF-8 end with a fault of the file (%s)', async (format, text) => {
    const path = await written(text);
    const last = Buffer.from(text.slice(text.lastIndexOf('é') - 5));
    const first = Buffer.from(text.slice(0, text.lastIndexOf('é') - 5));
    // Characters may be cut by the end of what is read at once.
    const filled = Buffer.concat([first, Buffer.from(' '.repeat(65_535 - first.length)), Buffer.from('語'), last]);
    for (const [bytes, fault] of [
      [Buffer.concat([first, Buffer.from(last.toString(), 'latin1')]), /line 3 is no UTF-8/],
      [Buffer.from(`\uFEFF${text}`, 'utf16le'), /line 1 is no UTF-8/],
      [filled.subarray(0, 65_537), /line 3 is no UTF-8/],
    ] as const) {
      await writeFile(path, bytes);
      const reading = async () => {
        for await (const _ of recordsOf(path, format));
      };
      await expect(reading()).rejects.toThrow(fault);
    }
  });

  it('of a further file are found however many there are, and refused if one key has too many', async () => {
    const index = new DiskIndex(beside());
    for (let n = 0; n < 300_000; n += 1) index.add(String(n % 150_000), { size: 1 + n, place: 2 ** 40 + n });
    for (let n = 0; n < 5_000; n += 1) index.add('many', { size: 1, place: n });
    for (const n of [0, 1, 777, 65_535, 149_999])
      expect(index.find(String(n))).toEqual([n, n + 150_000].map((m) => ({ size: 1 + m, place: 2 ** 40 + m })));
    expect(index.find('none')).toEqual([]);
    expect(index.find('many')).toHaveLength(1_000);
    index.close();
    expect((await readdir(directory)).filter((name) => name.endsWith('.index'))).toEqual([]);
    const text = `user_id,n\n${Array.from({ length: 2_000 }, (_, n) => `1,${n}\n`).join('')}2,0\n`;
    const further = {
      format: 'csv',
      member: 'user_id',
      keyOf: ({ user_id }: VendorRecord) => String(user_id),
    } as const;
    const side = await SideFile.of(await written(text), further, beside());
    expect(() => side.find('1')).toThrow('has 1000 records or more');
    expect(side.find('2')).toEqual([{ user_id: '2', n: '0' }]);
    await side.close();
  });

  it('of a further file may have carriage returns and quotes in quotes', async () => {
    const text = 'a,b\r\n"1","x\ry"\r\n2,5"" tall\n"","\r"\n';
    const side = await SideFile.of(
      await written(text),
      { format: 'csv', member: 'a', keyOf: ({ a }) => String(a) },
      beside(),
    );
    expect(['1', '2', ''].map((key) => side.find(key))).toEqual([
      [{ a: '1', b: 'x\ry' }],
      [{ a: '2', b: '5"" tall' }],
      [{ a: '', b: '\r' }],
    ]);
    await side.close();
  });

  it.each<[Source['format'] & ('ndjson' | 'csv'), string]>([
    ['ndjson', RECORDS.map((record) => JSON.stringify(record)).join('\n')],
    ['csv', `id,text\n${RECORDS.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"`).join('\n')}`],
  ])('of a further file are found by their key (%s)', async (format, text) => {
    const side = await SideFile.of(
      await written(text),
      { format, member: 'id', keyOf: ({ id }) => String(id) },
      beside(),
    );
    for (const n of [0, 1, 2, 3, 700, 5, 1_199, 1_198])
      expect(side.find(String(n))).toEqual([expect.objectContaining({ id: String(n), text: RECORDS[n]!.text })]);
    expect(side.find('none')).toEqual([]);
    await side.close();
  });
});
