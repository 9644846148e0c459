import { NodeAnswerUnreadable } from '../../../src/modules/chain/infrastructure/node-faults.js';
import { paidTransactionOf } from '../../../src/modules/chain/infrastructure/solana/solana-answers.js';

const balanceOf = (mint: string, amount: string) => ({
  accountIndex: 1n,
  mint,
  owner: 'Owner',
  programId: 'Program',
  uiTokenAmount: { amount },
});

const holdingsOf = (preTokenBalances: readonly object[], postTokenBalances: readonly object[]) =>
  paidTransactionOf({
    transaction: { signatures: ['signature'], accountKeys: [{ pubkey: 'Payer' }, { pubkey: 'Account' }] },
    meta: {
      err: null,
      fee: 5_000n,
      preBalances: [10_000n, 1n],
      postBalances: [5_000n, 1n],
      preTokenBalances,
      postTokenBalances,
    },
  } as never).holdings;

it('does not read a balance whose program the node leaves out, because the payment would be no deposit', () => {
  const { programId: _, ...balance } = balanceOf('Listed', '1');
  expect(() => holdingsOf([], [balance])).toThrow(NodeAnswerUnreadable);
});

it('distinguishes the tokens of an account that was closed and made again for another mint', () => {
  expect(holdingsOf([balanceOf('Listed', '0')], [balanceOf('Worthless', '1000000000')])).toEqual([
    { account: 1, mint: 'Listed', owner: 'Owner', program: 'Program', before: 0n, after: 0n },
    { account: 1, mint: 'Worthless', owner: 'Owner', program: 'Program', before: 0n, after: 1_000_000_000n },
  ]);
});
