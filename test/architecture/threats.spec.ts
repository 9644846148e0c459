import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEST = join(__dirname, '..');

type TestName = readonly [file: string, name: string];

/** The tests of each defence in src/modules/policy/threats.md: a file in test/modules/policy, or a path in test, and the name of a test or case. */
const TESTS: readonly (readonly [threat: string, tests: readonly TestName[]])[] = [
  [
    'Many processes and replicas race for the rest of a budget',
    [
      ['budgets/budgets.e2e-spec.ts', 'is spent to the unit, however many confirm at once'],
      [
        'demo/demo-agent.e2e-spec.ts',
        'the demo of an agent meets all its expectations, and prints the figures of the race',
      ],
    ],
  ],
  [
    'A payment is split into parts, over destinations and replicas',
    [
      [
        'threats.e2e-spec.ts',
        'is shared by payments below the amount that needs approval, to any destination and on any replica',
      ],
    ],
  ],
  [
    'A cancelled payment gives its budget back, and is paid',
    [['budgets/budgets.e2e-spec.ts', 'is given back when a transfer is cancelled, and counts when it was paid']],
  ],
  [
    'A new version of a policy fills the budget again',
    [['budgets/budgets.e2e-spec.ts', 'of a new version of the policy is not filled again']],
  ],
  [
    'A rule id is used again for another budget, or a budget gets a new id',
    [
      [
        'threats.e2e-spec.ts',
        'belongs to the id of its rule, and an activation under a new id is reported as one that allows more',
      ],
      ['rules/loosens.spec.ts', 'refills a budget by another id'],
    ],
  ],
  [
    'The clock of a process is wrong',
    [['threats.e2e-spec.ts', 'is not filled by the clock of the process, which is a day ahead']],
  ],
  [
    'A signature moves value later: an ERC-20 approval, a permit, Permit2, EIP-3009',
    [
      [
        'threats.e2e-spec.ts',
        'counts token approvals and permits like payments, and none that is unlimited or unreadable passes',
      ],
      ['rules/facts-of-typed-data.spec.ts', 'an allowance of Permit2'],
      ['rules/facts-of-typed-data.spec.ts', 'EIP-3009, sent'],
      ['rules/evaluate.spec.ts', 'a delegation that the rule does not name'],
    ],
  ],
  [
    'An approval without a limit',
    [
      ['rules/facts-of-transaction.spec.ts', 'approve without limit'],
      ['rules/facts-of-typed-data.spec.ts', 'the permit of DAI'],
      ['rules/evaluate.spec.ts', 'an unlimited amount with a window'],
    ],
  ],
  [
    'An unknown call, or bytes that cannot be read',
    [
      ['rules/facts-of-transaction.spec.ts', 'an unknown selector'],
      ['rules/evaluate.spec.ts', 'needs moves that cannot be read'],
      ['rules/evaluate.spec.ts', 'moves that cannot be read'],
    ],
  ],
  [
    'Orders (Seaport), user operations (ERC-4337), types that look like a permit',
    [
      ['rules/facts-of-typed-data.spec.ts', 'an order of Seaport'],
      ['rules/facts-of-typed-data.spec.ts', 'a user operation'],
      ['rules/facts-of-typed-data.spec.ts', 'a permit with a member more'],
    ],
  ],
  [
    'An authorisation of code for the account (EIP-7702), blobs, legacy transactions',
    [['modules/wallet/wallets/wallet.e2e-spec.ts', 'is refused, not signed without what was sent, with %s %j']],
  ],
  [
    'The hash of a transaction is signed as a message',
    [
      [
        'budgets/budgets.e2e-spec.ts',
        'judges every use of a key, and a request that no rule allows is refused before a quote',
      ],
      ['gate/message-policy.spec.ts', 'text refuses %s'],
    ],
  ],
  [
    'A second move in the same call',
    [
      ['rules/evaluate.spec.ts', 'one move of another asset'],
      ['rules/evaluate.spec.ts', 'fits one of several moves'],
      ['rules/facts-of-transaction.spec.ts', 'a call of several'],
    ],
  ],
  ['The same addresses on another chain', [['rules/evaluate.spec.ts', 'the asset of another network']]],
  [
    'An asset of the app is renamed, so that a rule means another token',
    [['rules/schema.e2e-spec.ts', 'keep the asset that they named when the app gives its name to another token']],
  ],
  [
    'The key is exported and used elsewhere',
    [
      [
        'budgets/budgets.e2e-spec.ts',
        'judges every use of a key, and a request that no rule allows is refused before a quote',
      ],
    ],
  ],
  [
    'A new caller opens a key without asking the gate',
    [['architecture/gate.spec.ts', 'judges every use of a key of a wallet']],
  ],
  [
    'A misspelt condition matches everything',
    [['rules/schema.e2e-spec.ts', 'is refused if it is unknown, also beside members that are wrong']],
  ],
  [
    'Huge policies slow signing down',
    [
      ['rules/schema.e2e-spec.ts', 'are refused if they take more than 64 KiB'],
      [
        'policies/versions.e2e-spec.ts',
        'are at most twenty active ones; another version of an active one may still be activated',
      ],
      [
        'policies/versions.e2e-spec.ts',
        'are at most a thousand stored versions; a new one replaces the oldest that nothing kept refers to',
      ],
    ],
  ],
  [
    'A replica judges by a policy that was replaced, or signs for a frozen app',
    [
      [
        'threats.e2e-spec.ts',
        'that is activated, or an app that is frozen, on one replica judges the next call on another one',
      ],
      ['policies/versions.e2e-spec.ts', 'is activated only after the payments under way have ended'],
      ['budgets/budgets.e2e-spec.ts', 'stops every confirmation that comes after the answer, on every replica'],
    ],
  ],
  [
    'A frozen app pays what was confirmed or approved before',
    [
      ['budgets/budgets.e2e-spec.ts', 'signs nothing until it is thawed, and its queued transfers wait'],
      ['threats.e2e-spec.ts', 'that is given while the app is frozen pays only after the thaw'],
      ['policies/freeze.e2e-spec.ts', 'is not sent again meanwhile, and an operator may cancel it'],
    ],
  ],
  [
    'An approval is replayed',
    [
      ['approvals/approvals.e2e-spec.ts', 'is given once, to the repeated call'],
      ['approvals/approvals.e2e-spec.ts', 'is signed only once enough of them have approved, and is paid once'],
    ],
  ],
  [
    'An approval is used for another payload, key or wallet',
    [
      ['approvals/approvals.e2e-spec.ts', 'is given once, to the repeated call'],
      ['threats.e2e-spec.ts', 'is used neither by another key nor for another wallet'],
    ],
  ],
  [
    'Approvers see less than is signed',
    [
      [
        'threats.e2e-spec.ts',
        'shows approvers the digest of typed data, and every member of a transaction, that is then signed',
      ],
    ],
  ],
  [
    'The owner approves a request that names the owner, or a key its own one',
    [
      [
        'approvals/approvals.e2e-spec.ts',
        'is refused to a user who is no member, whom the request names, or who has voted',
      ],
      ['threats.e2e-spec.ts', 'is not voted on with the key that asked for it'],
    ],
  ],
  [
    'A vote counts twice, for another approval, decision or user',
    [
      ['approvals/approvals.e2e-spec.ts', 'counts for nothing but its approval and its decision, and only as its user'],
      [
        'approvals/approvals.e2e-spec.ts',
        'of twenty simultaneous approvals is counted as often as needed, and the transfer is paid once',
      ],
    ],
  ],
  [
    'An assertion of a login or of another app is sent as a vote, or a vote as a login',
    [
      [
        'threats.e2e-spec.ts',
        'takes no assertion that the same passkey made for a login or in another app, nor is a vote a login',
      ],
    ],
  ],
  [
    'An approver leaves after the vote',
    [['approvals/approvals.e2e-spec.ts', 'waits again when an approver leaves before it is signed']],
  ],
  [
    'An approval for rules that have changed',
    [
      ['approvals/approvals.e2e-spec.ts', 'is not given for a policy that has changed'],
      [
        'approvals/approvals.e2e-spec.ts',
        'is rejected when a new version comes into force, and when its user is deactivated',
      ],
    ],
  ],
  [
    'The group that a policy asks is deleted or emptied',
    [
      [
        'approvals/approver-groups.e2e-spec.ts',
        'that an active policy asks is neither deleted nor reduced below the approvals that it needs',
      ],
      [
        'approvals/approver-groups.e2e-spec.ts',
        'is not deleted by a call that runs beside the activation of a policy that asks it',
      ],
    ],
  ],
  [
    'A key that is revoked or has expired',
    [
      ['modules/apps/restricted-keys.e2e-spec.ts', 'is refused once it is revoked, on every replica within a second'],
      ['modules/apps/restricted-keys.e2e-spec.ts', 'is refused once it has expired'],
      ['threats.e2e-spec.ts', 'ends when the key that asked for it is %s, and its transfer pays nothing'],
    ],
  ],
  [
    'Ids of another app, wallet or user',
    [
      [
        'policies/versions.e2e-spec.ts',
        'is refused with its path if the object is unknown, of another kind, of another app, or ended',
      ],
      ['approvals/approvals.e2e-spec.ts', 'is not given for an approval of another app'],
      ['modules/apps/restricted-keys.e2e-spec.ts', 'signs with the wallets of the user only'],
    ],
  ],
  [
    'An `Idempotency-Key` gives the response of one key to another one',
    [['modules/apps/restricted-keys.e2e-spec.ts', 'belongs to one restricted key, and to all secret keys together']],
  ],
  [
    'A restored database has older policies',
    [['policies/versions.e2e-spec.ts', 'has an event for each change, and begins another signing revision of its app']],
  ],
  [
    'An operator loosens policies alone',
    [
      [
        'approvals/policy-change.e2e-spec.ts',
        'is activated once as many members as needed have approved, and its approval names the whole change',
      ],
      [
        'approvals/policy-change.e2e-spec.ts',
        'that an active policy asks is changed only with an approval, and one that none asks without',
      ],
      ['approvals/policy-change.e2e-spec.ts', 'needs an approval of this freeze, and a freeze needs none'],
    ],
  ],
  [
    'The holder of a secret key registers a passkey for a member of a group',
    [
      [
        'approvals/approver-passkeys.e2e-spec.ts',
        'neither approves nor rejects until the hours of the app are over, while earlier passkeys vote at once',
      ],
      ['approvals/approver-passkeys.e2e-spec.ts', 'with login:write carries no votes, also with approvals:vote'],
    ],
  ],
  [
    'SQL lowers what was spent, or moves it out of the window',
    [['altered-rows.e2e-spec.ts', 'that SQL has given %s refuses payments']],
  ],
  [
    'A payment that is stuck for longer than its window makes room when it is paid',
    [
      [
        'budgets/budget-reorganisations.e2e-spec.ts',
        'a payment that was stuck for longer than its window makes no room when it is paid',
      ],
    ],
  ],
];

/** The bold beginnings of the items. */
function threatsIn(section: string): string[] {
  return [...section.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, threat]) => threat!);
}

/** Whether the file has a test or a case of this name: a text that stands first in a call or in a list. */
function hasTest([file, name]: TestName): boolean {
  const path = ['modules/policy', '.'].map((folder) => join(TEST, folder, file)).find(existsSync);
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return path !== undefined && new RegExp(String.raw`[([]\s*(['"\x60])${escaped}\1,`).test(readFileSync(path, 'utf8'));
}

describe('the threats of the policy module', () => {
  const [defended = '', accepted = ''] = readFileSync('src/modules/policy/threats.md', 'utf8').split('\n## Accepted\n');

  it('each have a test, or are accepted', () => {
    expect(threatsIn(defended).length).toBeGreaterThanOrEqual(30);
    expect(threatsIn(accepted).length).toBeGreaterThan(0);
    expect(TESTS.map(([threat]) => threat)).toEqual(threatsIn(defended));
    expect(TESTS.filter(([, tests]) => tests.length === 0)).toEqual([]);
  });

  it('name only tests that exist', () => {
    expect(TESTS.flatMap(([, tests]) => tests).filter((test) => !hasTest(test))).toEqual([]);
  });

  it('would be found without their test', () => {
    const name = 'name only tests that exist';
    expect(hasTest(['architecture/threats.spec.ts', name])).toBe(true);
    expect(hasTest(['architecture/threats.spec.ts', `${name} elsewhere`])).toBe(false);
    expect(hasTest(['architecture/gone.spec.ts', name])).toBe(false);
  });
});
