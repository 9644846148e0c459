import { NodeAnswerUnreadable } from '../../../src/modules/chain/infrastructure/node-faults.js';
import { paidTransactionOf } from '../../../src/modules/chain/infrastructure/solana/solana-answers.js';

const balanceOf = (mint: string, amount: string) => ({
  accountIndex: 1n,
  mint,
  owner: 'Owner',
  programId: 'Program',
  uiTokenAmount: { amount },
});

it('does not read a balance whose program the node leaves out, because the payment would be no deposit', () => {
  const { programId: _, ...balance } = balanceOf('Listed', '1');
  const read = () =>
    paidTransactionOf({
      transaction: { signatures: ['signature'], accountKeys: [{ pubkey: 'Payer' }, { pubkey: 'Account' }] },
      meta: {
        err: null,
        fee: 5_000n,
        preBalances: [10_000n, 1n],
        postBalances: [5_000n, 1n],
        preTokenBalances: [],
        postTokenBalances: [balance],
      },
    } as never);
  expect(read).toThrow(NodeAnswerUnreadable);
});

it('distinguishes the tokens of an account that was closed and made again for another mint', () => {
  const { holdings } = paidTransactionOf({
    transaction: { signatures: ['signature'], accountKeys: [{ pubkey: 'Payer' }, { pubkey: 'Account' }] },
    meta: {
      err: null,
      fee: 5_000n,
      preBalances: [10_000n, 1n],
      postBalances: [5_000n, 1n],
      preTokenBalances: [balanceOf('Listed', '0')],
      postTokenBalances: [balanceOf('Worthless', '1000000000')],
    },
  });
  expect(holdings).toEqual([
    { account: 1, mint: 'Listed', owner: 'Owner', program: 'Program', before: 0n, after: 0n },
    { account: 1, mint: 'Worthless', owner: 'Owner', program: 'Program', before: 0n, after: 1_000_000_000n },
  ]);
});
