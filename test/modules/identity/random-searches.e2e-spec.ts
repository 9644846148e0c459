import { startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { seededRandom } from '../../support/machine-pool.js';
import { Observer } from '../../support/observer.js';
import { eventually } from '../../support/eventually.js';

const USERS = 32_000;
const COUNTED_UP_TO = 10_000;
const SEARCHES = 200;
const SYLLABLES = ['mi', 'ra', 'son', 'bel', 'ta', 'lo', 'ven', 'ka'];

interface Person {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly is_deleted: boolean;
  readonly emails: readonly Address[];
  readonly phone_numbers: readonly Address[];
}

interface Address {
  readonly id: string;
  readonly text: string;
  readonly is_verified: boolean;
}

const random = seededRandom(20);
const below = (end: number): number => Math.floor(random() * end);
const of = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
const is = (chance: number): boolean => random() < chance;
const userId = (n: number): string => `user_${String(n).padStart(26, '0')}`;

/** The addresses of previous users are at another domain than those of new ones, so the newest users never match some of the searches. */
function person(n: number): Person {
  const name = of(SYLLABLES) + of(SYLLABLES) + of(SYLLABLES);
  const ids = (kind: string, count: number) =>
    Array.from({ length: count }, (_, k) => `${kind}_${k}${String(n).padStart(25, '0')}`);
  const domain = n <= 0.6 * USERS ? 'previous.example' : 'new.example';
  const emails = ids('email', of([0, 1, 1, 1, 1, 1, 1, 2, 5]));
  return {
    id: userId(n),
    name,
    status: is(0.1) ? 'pending' : 'active',
    is_deleted: is(0.02),
    emails: emails.map((id, k) => ({ id, text: `${name}.${n}.${k}@${domain}`, is_verified: is(0.8) })),
    phone_numbers: ids('pn', of([0, 0, 1, 2])).map((id, k) => ({ id, text: `+49151${k}${n}`, is_verified: is(0.1) })),
  };
}

const people = Array.from({ length: USERS }, (_, n) => person(n + 1));
const newestFirst = people.filter(({ is_deleted: isDeleted }) => !isDeleted).toReversed();

interface Filter {
  readonly sent: object;
  readonly holds: (user: Person) => boolean;
}

const contains = (sought: string) => (value: string) =>
  sought.length < 3 ? value.startsWith(sought) : value.includes(sought);

function randomFilter(): Filter {
  const eq = (field: string, value: unknown, holds: Filter['holds']): Filter => ({
    sent: { field, operator: 'eq', value },
    holds,
  });
  const filters: readonly (() => Filter)[] = [
    () => {
      const text = of([
        '.example',
        'previous',
        'new.ex',
        'mi',
        '77',
        '.77',
        '.0@',
        'bel',
        'sonra',
        String(below(USERS)),
      ]);
      return eq('email_match', text, ({ emails }) => emails.some((email) => contains(text)(email.text)));
    },
    () => {
      const text = of(['mi', 'bel', 'ra', 'venka', 'a', 'tata']);
      return eq('full_name_match', text, ({ name }) => contains(text)(name));
    },
    () => {
      const text = of(['+49', '1510', '+491', '151', '777']);
      return eq('phone_number_match', text, (user) => user.phone_numbers.some((phone) => contains(text)(phone.text)));
    },
    () => {
      const status = of(['active', 'active', 'pending']);
      return eq('status', status, (user) => user.status === status);
    },
    () => {
      const flag = is(0.7);
      return eq('email_verified', flag, ({ emails }) => emails.some((email) => email.is_verified === flag));
    },
    () => {
      const flag = is(0.3);
      return eq('phone_number_verified', flag, (user) =>
        user.phone_numbers.some((phone) => phone.is_verified === flag),
      );
    },
    () => {
      const [value, second_value] = [userId(below(USERS)), userId(below(USERS))];
      return of<Filter>([
        { sent: { field: 'user_id', operator: 'lt', value }, holds: ({ id }) => id < value },
        { sent: { field: 'user_id', operator: 'gt', value }, holds: ({ id }) => id > value },
        {
          sent: { field: 'user_id', operator: 'between', value, second_value },
          holds: ({ id }) => id >= value && id <= second_value,
        },
      ]);
    },
    () => {
      const values = [of(people), of(people)]
        .flatMap(({ emails }) => emails.map(({ text }) => text))
        .concat('a@b.example');
      return {
        sent: { field: 'email', operator: 'in', values },
        holds: ({ emails }) => emails.some(({ text }) => values.includes(text)),
      };
    },
  ];
  return of(filters)();
}

let service: TestApp;
let app: GivenApp;

beforeAll(async () => {
  service = await startApp();
  app = await service.given.app({ default_wallet_type: 'none' });
  const observer = await Observer.of(service);
  await observer.rows(
    `insert into users (app_id, id, first_name, middle_name, last_name, status, wallet_type, deleted_at, created_at, updated_at)
     select $1, id, name, '', '', status, 'none', case when is_deleted then now() end, now(), now()
       from json_to_recordset($2) p(id text, name text, status text, is_deleted boolean)`,
    [app.id, JSON.stringify(people)],
  );
  for (const table of ['emails', 'phone_numbers'] as const) {
    const addresses = people.flatMap((user) => user[table].map((address) => ({ user_id: user.id, ...address })));
    await observer.rows(
      `insert into ${table} (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
       select $1, id, user_id, text, text, case when is_verified then now() end, now(), now()
         from json_to_recordset($2) a(id text, user_id text, text text, is_verified boolean)`,
      [app.id, JSON.stringify(addresses)],
    );
  }
  for (const table of ['users', 'emails', 'phone_numbers']) await observer.rows(`vacuum analyze ${table}`);
  await observer.close();
});
afterAll(() => service.stop());

describe('random searches', () => {
  it('find the users that a plain evaluation finds, and count them to 20 %', async () => {
    const counts = { exact: 0, estimated: 0, 'read because the newest users do not match': 0 };
    for (let n = 0; n < SEARCHES; n++) {
      const filters = Array.from({ length: of([0, 1, 1, 1, 2, 3]) }, randomFilter);
      const operator = of(['AND', 'OR']);
      const limit = 10 + below(91);
      const cursor = is(0.5) ? userId(below(USERS)) : undefined;
      const body = { limit, starting_after: cursor, filters: { operator, fields: filters.map(({ sent }) => sent) } };

      const every = operator === 'AND' || filters.length === 0;
      const matching = newestFirst.filter((user) =>
        every ? filters.every(({ holds }) => holds(user)) : filters.some(({ holds }) => holds(user)),
      );
      const behind = matching.filter(({ id }) => cursor === undefined || id < cursor);

      const answer = await eventually(async () => {
        const found = await service.call('POST', '/v1/auth/users/search', { key: app.secretKey, body });
        // A busy machine may take longer than a search may.
        expect(found.body.error_type).not.toBe('search_too_broad');
        return found;
      });
      expect([answer.status, body]).toEqual([200, body]);
      const { users, has_more, total_count: count, total_count_estimated } = answer.body;
      expect([body, users.map(({ user_id: id }: { user_id: string }) => id)]).toEqual([
        body,
        behind.slice(0, limit).map(({ id }) => id),
      ]);
      expect([body, has_more]).toEqual([body, behind.length > limit]);
      expect([body, total_count_estimated]).toEqual([body, matching.length > COUNTED_UP_TO]);
      if (matching.length <= COUNTED_UP_TO) {
        expect([body, count]).toEqual([body, matching.length]);
        counts.exact += 1;
      } else {
        expect([body, Math.abs(count / matching.length - 1) <= 0.2]).toEqual([body, true]);
        counts[count === matching.length ? 'read because the newest users do not match' : 'estimated'] += 1;
      }
    }
    // Otherwise the searches would not show that all parts of the statement agree.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThanOrEqual(5);
  });
});
