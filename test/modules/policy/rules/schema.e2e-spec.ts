import { startApp, type TestApp } from '../../../support/app.js';
import { type Fields, PolicyApp } from '../policies.js';

// Replaces each member of a whole policy by every sort of wrong value. The members are found in the policy itself.

const ETHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

let app: TestApp;
let acme: PolicyApp;
let whole: { name: string; scope: object; rules: object[] };

beforeAll(async () => {
  app = await startApp();
  acme = await PolicyApp.of(app);
  const { user_id } = await app.given.user(acme.app);
  whole = {
    name: 'Payouts',
    scope: { kind: 'user', id: user_id },
    rules: [
      {
        id: 'small',
        effect: 'require_approval',
        match: {
          operations: ['transfer'],
          networks: ['ethereum'],
          assets: ['ethereum'],
          destinations: [ETHER],
          amount: { min: '0.5', max: '2' },
        },
        windows: [{ seconds: 60, max_amount: '1', max_count: 3, per: 'destination' }],
        approvals: { group: await acme.group([await acme.approver()]), count: 1, expires_in: 60 },
      },
    ],
  };
});
afterAll(() => app?.stop());

type Json = Record<string, unknown>;
type Sort = 'text' | 'name' | 'word' | 'number' | 'decimal' | 'list' | 'object';

/** The members of the whole policy, by their paths. */
const MEMBERS: Readonly<Record<string, { readonly sort: Sort; readonly required?: true; readonly most?: number }>> = {
  name: { sort: 'text', required: true, most: 256 },
  scope: { sort: 'object', required: true },
  'scope.kind': { sort: 'word', required: true },
  'scope.id': { sort: 'name', required: true },
  rules: { sort: 'list', required: true, most: 50 },
  'rules[0]': { sort: 'object', required: true },
  'rules[0].id': { sort: 'name', most: 64 },
  'rules[0].effect': { sort: 'word', required: true },
  'rules[0].match': { sort: 'object' },
  'rules[0].match.operations': { sort: 'list', most: 100 },
  'rules[0].match.operations[0]': { sort: 'word', required: true },
  'rules[0].match.networks': { sort: 'list', most: 100 },
  'rules[0].match.networks[0]': { sort: 'name', required: true },
  'rules[0].match.assets': { sort: 'list', most: 100 },
  'rules[0].match.assets[0]': { sort: 'name', required: true },
  'rules[0].match.destinations': { sort: 'list', most: 100 },
  'rules[0].match.destinations[0]': { sort: 'name', required: true },
  'rules[0].match.amount': { sort: 'object' },
  'rules[0].match.amount.min': { sort: 'decimal' },
  'rules[0].match.amount.max': { sort: 'decimal' },
  'rules[0].windows': { sort: 'list', most: 10 },
  'rules[0].windows[0]': { sort: 'object', required: true },
  'rules[0].windows[0].seconds': { sort: 'number', required: true, most: 2_592_000 },
  'rules[0].windows[0].max_amount': { sort: 'decimal' },
  'rules[0].windows[0].max_count': { sort: 'number', most: 1_000_000 },
  'rules[0].windows[0].per': { sort: 'word' },
  'rules[0].approvals': { sort: 'object', required: true },
  'rules[0].approvals.group': { sort: 'name', required: true },
  'rules[0].approvals.count': { sort: 'number', required: true, most: 100 },
  'rules[0].approvals.expires_in': { sort: 'number', required: true, most: 2_592_000 },
};

const NOT_TEXT = [7, true, [], {}, ['x']];
const TOO_LONG = 'x'.repeat(1_025);
const WRONG: Readonly<Record<Sort, (most: number) => readonly unknown[]>> = {
  text: (most) => [...NOT_TEXT, '', 'x'.repeat(most + 1), 'a\0', '\ud800'],
  name: (most) => [...NOT_TEXT, '', 'x'.repeat(most + 1), TOO_LONG, 'Not A Name', ' ', '*', `user_${'0'.repeat(26)}\n`],
  word: () => [...NOT_TEXT, '', TOO_LONG, 'Allow', 'constructor'],
  number: (most) => [true, [], {}, [60], '', 'x', '1e3', '60s', 60.5, 0, -60, most + 1, 1e300],
  decimal: () => [
    ...NOT_TEXT,
    '',
    '-1',
    '+1',
    '1e3',
    '0x1',
    '.5',
    '5.',
    '01',
    ' 1',
    '1,5',
    `0.${'0'.repeat(18)}1`,
    '9'.repeat(80),
  ],
  list: (most) => ['x', 7, true, {}, [], [null], [[]], [undefined], Array.from({ length: most + 1 }, () => null)],
  object: () => ['x', 7, true, [], [{}]],
};

/** The path in parts, such as `rules`, `0` and `id`. */
const partsOf = (path: string): string[] => path.split(/[.[\]]+/).filter((part) => part !== '');

/** A copy of the whole policy in which `change` changes the object or list that has the member. */
function changed(path: string, change: (parent: Json, name: string) => void): Fields {
  const copy = structuredClone(whole) as unknown as Json;
  const parts = partsOf(path);
  const name = parts.pop()!;
  change(
    parts.reduce((at, part) => at[part] as Json, copy),
    name,
  );
  return copy;
}

const post = (fields: Fields) => acme.manage('POST', '/policies', fields);
const refusedRules = (rules: readonly unknown[]) => refusedFields({ ...whole, rules });

/** The fields that a refusal names. */
async function refusedFields(fields: Fields): Promise<string[]> {
  const { status, body, text } = await post(fields);
  if (status !== 400 || body.error_type !== 'invalid_request') throw new Error(`${JSON.stringify(fields)}: ${text}`);
  return body.errors.map(({ field }: { field: string }) => field);
}

/** The paths of all members of a value. */
function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return [at, ...pathsIn(member, at)];
  });
}

describe('a member of a policy', () => {
  it('is known to these tests', () => {
    expect(pathsIn(whole).toSorted()).toEqual(Object.keys(MEMBERS).toSorted());
  });

  it.each(Object.entries(MEMBERS))('is refused with its path if its value is wrong: %s', async (path, member) => {
    const { sort, required, most = 1_024 } = member;
    const values = [...WRONG[sort](most), ...(required ? [null] : [])];
    for (const value of values) {
      const named = await refusedFields(changed(path, (parent, name) => (parent[name] = value)));
      const isPath = (field: string) => field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`);
      expect([value, named.filter(isPath).length > 0, named]).toEqual([value, true, named]);
    }
  });

  it.each(Object.entries(MEMBERS).filter(([path, { required }]) => required && !path.endsWith(']')))(
    'is required: %s',
    async (path) => {
      expect(await refusedFields(changed(path, (parent, name) => delete parent[name]))).toContain(path);
    },
  );

  it.each(Object.entries(MEMBERS).filter(([path, { required }]) => !required && !path.endsWith(']')))(
    'may be absent or null, which is the same: %s',
    async (path) => {
      // Amounts need the asset.
      const also = (copy: Fields): Fields => (/\.(match|assets)$/.test(path) ? withoutAmounts(copy) : copy);
      const absent = await post(also(changed(path, (parent, name) => delete parent[name])));
      const empty = await post(also(changed(path, (parent, name) => (parent[name] = null))));
      expect([absent.status, empty.status]).toEqual([200, 200]);
      expect(empty.body.rules).toEqual(absent.body.rules);
    },
  );

  const objects = Object.entries(MEMBERS).filter(([path, { sort }]) => sort === 'object' && path !== 'scope');
  it.each(
    objects.flatMap(([path]) => ['mtach', 'constructor', 'toString', 'Amount', 'x.y'].map((name) => [path, name])),
  )('is refused if it is unknown inside rules: %s.%s', async (path, name) => {
    const fields = changed(`${path}.x`, (parent) => (parent[name!] = '1'));
    expect(await refusedFields(fields)).toEqual([`${path}.${name}`]);
  });

  it('is refused if it is unknown, also beside members that are wrong', async () => {
    const rules = [{ effect: 'maybe', amout: 1, match: { asset: 'ethereum' } }];
    expect(await refusedRules(rules)).toEqual(['rules[0].effect', 'rules[0].amout', 'rules[0].match.asset']);
  });

  it('is ignored if it is unknown outside of rules', async () => {
    expect((await acme.create({ ...whole, scope: { ...whole.scope, more: 1 }, more: 1 })).status).toBe(200);
  });

  it('that is unknown many times is refused with at most a hundred faults', async () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`m${i}`, 1]));
    expect(await refusedRules(Array(3).fill({ effect: 'allow', ...many }))).toHaveLength(100);
  });
});

/** The policy with nothing that is counted in an asset. */
function withoutAmounts(fields: Fields): Fields {
  const [rule] = fields['rules'] as { match?: Json | null; windows: Json[] }[];
  delete rule!.match?.['amount'];
  delete rule!.windows[0]!['max_amount'];
  return fields;
}

const rule = (fields: Fields): Fields => ({ effect: 'allow', ...fields });
const WINDOW = { seconds: 60, max_count: 1 };
const two = { assets: ['ethereum', 'solana'] };

describe('rules', () => {
  it.each<[string, Fields[], string[]]>([
    ['windows of a deny rule', [rule({ effect: 'deny', windows: [WINDOW] })], ['rules[0].windows']],
    ['require_approval without approvals', [rule({ effect: 'require_approval' })], ['rules[0].approvals']],
    [
      'an amount without an asset',
      [rule({}), rule({ match: { amount: { max: '1' } } })],
      ['rules[1].match.amount.max'],
    ],
    ['an amount of two assets', [rule({ match: { ...two, amount: { min: '1' } } })], ['rules[0].match.amount.min']],
    [
      'a window of an amount without an asset',
      [rule({ windows: [WINDOW, { seconds: 60, max_amount: '1' }] })],
      ['rules[0].windows[1].max_amount'],
    ],
    ['a window that bounds nothing', [rule({ windows: [{ seconds: 60 }] })], ['rules[0].windows[0].max_amount']],
    ['an amount without bounds', [rule({ match: { assets: ['eth'], amount: {} } })], ['rules[0].match.amount.min']],
    [
      'a min above the max',
      [rule({ match: { assets: ['eth'], amount: { min: '1.1', max: '1.09' } } })],
      ['rules[0].match.amount.min'],
    ],
    [
      'more decimals than the asset has',
      [rule({ match: { assets: ['SOL'] }, windows: [{ seconds: 60, max_amount: '0.0000000001' }] })],
      ['rules[0].windows[0].max_amount'],
    ],
    [
      'more than the chain can hold',
      [rule({ match: { assets: ['SOL'], amount: { max: '18446744073.709551616' } } })],
      ['rules[0].match.amount.max'],
    ],
    ['an id twice', [rule({ id: 'a' }), rule({ id: 'b' }), rule({ id: 'a' })], ['rules[2].id']],
    [
      'an unknown asset, without a fault of the amount that it counts',
      [rule({ match: { assets: ['usd-coin'], amount: { max: '1' } } })],
      ['rules[0].match.assets[0]'],
    ],
    [
      'addresses that are none',
      [rule({ match: { destinations: [ETHER, ETHER.replace('3C', '3c'), SOLANA, `${SOLANA}1111`, 'x'] } })],
      ['rules[0].match.destinations[1]', 'rules[0].match.destinations[3]', 'rules[0].match.destinations[4]'],
    ],
    [
      'networks that are none',
      [rule({ match: { networks: ['solana', 'Base', 'eip155:0', 'eip155:01', 'eip155:', 'solana:x', 'eip155:1'] } })],
      [1, 2, 3, 4, 5].map((index) => `rules[0].match.networks[${index}]`),
    ],
    [
      'faults of several rules',
      [rule({ effect: 'deny', windows: [WINDOW] }), rule({ match: { assets: ['x'] } })],
      ['rules[0].windows', 'rules[1].match.assets[0]'],
    ],
  ])('are refused for %s', async (_, rules, fields) => {
    expect(await refusedRules(rules)).toEqual(fields);
  });

  it('are refused for approvals of another effect', async () => {
    const { approvals } = whole.rules[0] as Fields;
    for (const effect of ['allow', 'deny'])
      expect(await refusedRules([{ effect, approvals }])).toEqual(['rules[0].approvals']);
  });

  it('are refused if they take more than 64 KiB', async () => {
    const addresses = (of: number) =>
      Array.from({ length: 100 }, (_, i) => `0x${(of * 100 + i + 1).toString(16).padStart(40, '0')}`);
    const rules = (count: number) =>
      Array.from({ length: count }, (_, i) => rule({ match: { destinations: addresses(i) } }));
    expect(await refusedRules(rules(15))).toEqual(['rules']);
    expect((await acme.create({ rules: rules(13) })).status).toBe(200);
  });

  it('are stored in canonical form, and answered so that they may be posted again', async () => {
    const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    await acme.manage('PATCH', '', {
      assets: [{ chain: 'ethereum', name: 'usd-coin', symbol: 'USDC', decimals: 6, token }],
    });
    const sent = [
      {
        effect: 'allow',
        match: {
          operations: ['transfer', 'transfer'],
          networks: ['eip155:1', 'ethereum', 'eip155:8453'],
          assets: ['USDC', 'usd-coin'],
          destinations: [ETHER.toLowerCase(), ETHER, SOLANA],
          amount: { min: '0', max: '1.50' },
        },
        windows: [{ seconds: '3600', max_amount: '100.0' }],
      },
      { id: 'rule_3', effect: 'deny', match: {} },
      { effect: 'deny' },
      { effect: 'deny' },
    ];
    const { body } = await acme.create({ name: 'Canonical', rules: sent });
    const kept = [
      {
        id: 'rule_1',
        effect: 'allow',
        match: {
          operations: ['transfer'],
          networks: ['ethereum', 'eip155:8453'],
          assets: ['usd-coin'],
          destinations: [ETHER, SOLANA],
          amount: { min: '0', max: '1.5' },
        },
        windows: [{ seconds: 3_600, max_amount: '100', per: 'policy' }],
      },
      { id: 'rule_3', effect: 'deny', match: {} },
      { id: 'rule_4', effect: 'deny', match: {} },
      { id: 'rule_5', effect: 'deny', match: {} },
    ];
    expect(body.rules).toEqual(kept);
    expect((await acme.get(body.id)).rules).toEqual(kept);
    expect((await acme.create({ name: 'Canonical', rules: body.rules })).body).toMatchObject({
      version: 2,
      rules: kept,
    });
  });

  it('keep the asset that they named when the app gives its name to another token', async () => {
    const asset = { chain: 'ethereum', name: 'gold', symbol: 'GLD', decimals: 2, token: ETHER };
    await acme.manage('PATCH', '', { assets: [asset] });
    const rules = [rule({ match: { assets: ['gold'], amount: { max: '1.25' } } })];
    const id = await acme.version({ rules });
    await acme.manage('PATCH', '', { assets: [{ ...asset, decimals: 0, token: `0x${'11'.repeat(20)}` }] });
    expect((await acme.get(id)).rules).toMatchObject(rules);
  });
});
