import { EntitySchema } from 'typeorm';
import { columnsOf, named } from '../../src/postgres/named.js';

describe('a statement with named parameters', () => {
  it('numbers the names in the order of their first use, each name once', () => {
    const store = named<{ id: string; name: string; appId: string }>(
      'update users set name = $name, sort_key = lower($name) where app_id = $appId and id = $id',
    );
    expect(store({ appId: 'app_1', id: 'user_1', name: 'Ann' })).toEqual([
      'update users set name = $1, sort_key = lower($1) where app_id = $2 and id = $3',
      ['Ann', 'app_1', 'user_1'],
    ]);
  });

  it('distinguishes names that begin alike', () => {
    expect(named<{ id: number; idOfUser: number }>('values ($idOfUser, $id)')({ id: 1, idOfUser: 2 })).toEqual([
      'values ($1, $2)',
      [2, 1],
    ]);
  });

  it('passes null, false, zero and the empty text on', () => {
    const values = { a: null, b: false, c: 0, d: '' };
    expect(named<typeof values>('values ($a, $b, $c, $d)')(values)[1]).toEqual([null, false, 0, '']);
  });

  it('refuses an undefined parameter, which pg would send as null', () => {
    expect(() => named<{ id?: string }>('select $id')({})).toThrow('$id');
  });
});

describe('the columns of a schema', () => {
  interface Person {
    readonly appId: string;
    readonly id: string;
    readonly firstName: string;
    readonly status: string;
    readonly createdAt: Date;
  }
  const PersonSchema = new EntitySchema<Person>({
    name: 'Person',
    columns: {
      appId: { type: 'text', name: 'app_id', primary: true },
      id: { type: 'text', primary: true },
      firstName: { type: 'text', name: 'first_name' },
      status: { type: 'text' },
      createdAt: { type: 'timestamptz', name: 'created_at', update: false },
    },
  });

  it('make INSERT and SELECT of all columns, and UPDATE of those that may change', () => {
    const columns = columnsOf(PersonSchema);
    expect(columns).toMatchObject({
      names: 'app_id, id, first_name, status, created_at',
      values: '$appId, $id, $firstName, $status, $createdAt',
      assignments: 'first_name = $firstName, status = $status',
    });
    expect(columns.of('p')).toBe(
      'p.app_id as "appId", p.id as "id", p.first_name as "firstName", p.status as "status", p.created_at as "createdAt"',
    );
  });

  it('make parts of statements of the fields that are named', () => {
    const { names, values } = columnsOf(PersonSchema, ['id', 'firstName']);
    expect([names, values]).toEqual(['id, first_name', '$id, $firstName']);
  });
});
