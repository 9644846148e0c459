import {
  countsSignatures,
  lengthOf,
  ruleInWords,
  scopeInWords,
  subjectOf,
  valuesIn,
} from '../../src/modules/policy/console/views/words.js';
import { changesBetween, isReordered } from '../../src/modules/policy/console/views/compared.js';

const nameOf = (id: string): string => (id === 'agrp_1' ? 'Treasury' : id);
const DAY = 86_400;

describe('a rule in words', () => {
  it.each([
    [{ effect: 'allow' }, 'Allow everything.'],
    [{ effect: 'deny', match: { operations: ['export', 'sign_message'] } }, 'Deny exports of keys and messages.'],
    [
      {
        effect: 'allow',
        match: {
          operations: ['transfer'],
          networks: ['ethereum'],
          assets: ['usdc'],
          destinations: ['0x1', '0x2', '0x3'],
          amount: { max: '100.00' },
        },
        windows: [{ seconds: DAY, max_amount: '500.00', per: 'policy' }],
      },
      'Allow transfers of usdc on ethereum to 3 destinations up to 100.00, at most 500.00 in 24 hours.',
    ],
    [
      {
        effect: 'allow',
        match: { assets: ['usdc', 'eurc'], destinations: ['0x1'], networks: ['ethereum', 'eip155:8453'] },
        windows: [{ seconds: 7 * DAY, max_count: 1, per: 'destination' }],
      },
      'Allow everything of usdc or eurc on ethereum or eip155:8453 to 0x1, at most 1 request in 7 days to each destination.',
    ],
    [
      {
        effect: 'require_approval',
        match: { operations: ['transfer'], assets: ['ethereum'], amount: { min: '1', max: '9' } },
        approvals: { group: 'agrp_1', count: 2, expires_in: 3_600 },
      },
      'Ask for the approval of transfers of ethereum from 1 up to 9, by 2 of Treasury within 1 hour.',
    ],
  ] as const)('%j', (rule, words) => {
    expect(ruleInWords(structuredClone(rule) as never, nameOf)).toBe(words);
  });

  it('names lengths of time in their largest unit', () => {
    expect([60, 90, 5_400, 3_600, DAY, 2 * DAY].map(lengthOf)).toEqual([
      '1 minute',
      '90 seconds',
      '90 minutes',
      '1 hour',
      '24 hours',
      '2 days',
    ]);
  });

  it('names its scope', () => {
    expect(scopeInWords({ kind: 'app', id: 'app_1' })).toBe('the whole app');
    expect(scopeInWords({ kind: 'user', id: 'user_1' })).toBe('the wallets of the user user_1');
  });
});

describe('the subject of an approval', () => {
  it.each([
    [
      {
        operation: 'transfer',
        amount: '2.5',
        currency: 'usdc',
        destination: '0x1',
        network: 'ethereum',
        max_fee: '0.01',
      },
      'Pay 2.5 usdc to 0x1 on ethereum, with fees of at most 0.01',
    ],
    [
      {
        operation: 'transfer',
        amount: '2.5',
        currency: 'usdc',
        destination: '0x1',
        network: 'ethereum',
        max_fee: null,
      },
      'Pay 2.5 usdc to 0x1 on ethereum',
    ],
    [{ operation: 'sign_message', message: 'Hello' }, 'Sign the message “Hello”'],
    [{ operation: 'sign_typed_data', primary_type: 'Permit' }, 'Sign typed data: Permit'],
    [{ operation: 'sign_transaction', to: '0x1', network: 'ethereum' }, 'Sign a transaction to 0x1 on ethereum'],
    [{ operation: 'export' }, 'Export the private key of the wallet'],
    [{ operation: 'policy_change', summary: 'Thaw the app Shop.' }, 'Thaw the app Shop.'],
    [{ operation: 'some_change' }, 'some change'],
  ])('%j', (payload, words) => {
    expect(subjectOf(payload)).toBe(words);
  });

  it('is listed with every value and its path', () => {
    expect(valuesIn({ moves: [{ asset: { token: null }, amount: '1' }], message: 'Hello' })).toEqual([
      ['moves[0].asset.token', 'null'],
      ['moves[0].amount', '1'],
      ['message', 'Hello'],
    ]);
  });
});

describe('the changes between two versions', () => {
  const kept = { id: 'kept', effect: 'deny' } as const;
  const before = { id: 'pay', effect: 'allow', match: { destinations: ['0x1'] } } as const;

  it('are the rules that one of them lacks, and the fields that differ, absent ones too', () => {
    const after = { id: 'pay', effect: 'allow', windows: [{ seconds: DAY, max_count: 1, per: 'policy' }] } as const;
    const changes = changesBetween(
      structuredClone([kept, before, { id: 'gone', effect: 'deny' }]) as never,
      structuredClone([kept, after, { id: 'new', effect: 'deny' }]) as never,
    );
    expect(changes.map(({ id, fields }) => [id, fields])).toEqual([
      [
        'pay',
        {
          before: { match: { destinations: ['0x1'] }, windows: null },
          after: { match: { destinations: null }, windows: after.windows },
        },
      ],
      ['new', undefined],
      ['gone', undefined],
    ]);
  });

  it('include another order of the rules that both have', () => {
    const rules = structuredClone([kept, before]) as never[];
    expect([isReordered(rules, rules), isReordered(rules, rules.toReversed())]).toEqual([false, true]);
  });
});

it('a budget counts returned signatures unless its rule names other uses only', () => {
  const windows = [{ seconds: DAY, max_count: 1 }];
  const isCounted = (operations?: string[], counting: object[] = windows): boolean =>
    countsSignatures({ effect: 'allow', ...(operations && { match: { operations } }), windows: counting } as never);
  expect([isCounted(), isCounted(['export', 'sign_transaction']), isCounted(['sign_typed_data'])]).toEqual(
    Array(3).fill(true),
  );
  expect([isCounted(['transfer', 'sign_message']), isCounted(undefined, [])]).toEqual([false, false]);
});
