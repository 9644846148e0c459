/** A deposit of the OP stack: it is signed by no key, and has neither a nonce nor a chain id. */
const DEPOSIT = {
  type: '0x7e',
  hash: `0x${'d0'.repeat(32)}`,
  sourceHash: `0x${'50'.repeat(32)}`,
  from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
  to: '0x4200000000000000000000000000000000000015',
  mint: null,
  value: '0x0',
  gas: '0xf4240',
  input: '0x',
  isSystemTx: true,
};

/** The answer of a node; a block with its transactions begins with one of the system, as on rollups. */
export function withSystemTransaction(result: unknown): unknown {
  const { transactions } = (result ?? {}) as { readonly transactions?: unknown };
  if (!Array.isArray(transactions) || typeof transactions[0] !== 'object') return result;
  return { ...(result as object), transactions: [DEPOSIT, ...(transactions as unknown[])] };
}
