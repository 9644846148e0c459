import { columnsOf, named } from '../../src/postgres/statement.js';

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

describe('the columns of fields', () => {
  interface Person {
    readonly appId: string;
    readonly id: string;
    readonly firstName: string;
    readonly createdAt: Date;
  }
  it('make INSERT, SELECT and UPDATE', () => {
    const columns = columnsOf<Person>(['appId', 'id', 'firstName', 'createdAt']);
    expect(columns).toMatchObject({
      names: 'app_id, id, first_name, created_at',
      values: '$appId, $id, $firstName, $createdAt',
      assignments: 'app_id = $appId, id = $id, first_name = $firstName, created_at = $createdAt',
    });
    expect(columns.of('p')).toBe(
      'p.app_id as "appId", p.id as "id", p.first_name as "firstName", p.created_at as "createdAt"',
    );
  });
});
