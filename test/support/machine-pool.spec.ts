import {
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { parseEther, Wallet } from 'ethers';
import { newAddress, SOL } from './money.js';
import { Anvil } from './anvil.js';
import { EthereumPool, type Machine } from './machine-pool.js';
import { SolanaRuntime } from './solana-runtime.js';

let anvil: Anvil;
let pool: EthereumPool;

const payee = Wallet.createRandom().address;

async function post(body: unknown): Promise<unknown> {
  const answer = await fetch(pool.url, { method: 'POST', body: JSON.stringify(body) });
  return answer.json();
}

async function ask(machine: Machine, method: string, ...params: unknown[]): Promise<unknown> {
  pool.route = () => machine;
  const { result, error } = (await post({ jsonrpc: '2.0', id: 1, method, params })) as {
    result?: unknown;
    error?: { message: string };
  };
  return error ? error.message : result;
}

/** Pays one ether in the newest block. */
async function pay(): Promise<string> {
  const { hash } = await anvil.rich().sendTransaction({ to: payee, value: parseEther('1') });
  await anvil.mine();
  return hash;
}

describe('a pool of Ethereum machines', () => {
  beforeEach(async () => {
    anvil = await Anvil.start({ blockTime: 'never' });
    pool = await EthereumPool.start(anvil, { finalizedAfter: 4 });
  });
  afterEach(async () => {
    await pool.stop();
    await anvil.stop();
  });

  it('makes the lagging machine respond as of the third newest block', async () => {
    await anvil.mine(10);
    const hash = await pay();
    await anvil.mine(2);
    const payer = anvil.rich().address;
    expect(await ask('head', 'eth_getBalance', payee, 'latest')).toBe('0xde0b6b3a7640000');
    expect(await ask('lagging', 'eth_blockNumber')).toBe('0xa');
    expect(await ask('lagging', 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ number: '0xa' });
    expect(await ask('lagging', 'eth_getBlockByNumber', 'finalized', false)).toMatchObject({ number: '0x6' });
    expect(await ask('head', 'eth_getBlockByNumber', 'finalized', false)).toMatchObject({ number: '0x9' });
    expect(await ask('lagging', 'eth_getBlockByNumber', '0xb', false)).toBeNull();
    const { hash: newest } = (await ask('head', 'eth_getBlockByNumber', '0xb', false)) as { hash: string };
    expect(await ask('lagging', 'eth_getBlockByHash', newest, false)).toBeNull();
    expect(await ask('lagging', 'eth_getTransactionReceipt', hash)).toBeNull();
    expect(await ask('lagging', 'eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
    expect(await ask('lagging', 'eth_getBalance', payee, 'latest')).toBe('0x0');
    expect(await ask('lagging', 'eth_getTransactionCount', payer, 'latest')).toBe('0x0');
    expect(await ask('lagging', 'eth_getTransactionCount', payer, { blockHash: newest })).toBe('header not found');
    await anvil.mine();
    expect(await ask('lagging', 'eth_getTransactionReceipt', hash)).toMatchObject({ transactionHash: hash });
  });

  it('keeps the forked machine on the dropped blocks until it rejoins', async () => {
    await anvil.mine(10);
    const hash = await pay();
    const payer = anvil.rich().address;
    const receipt = (await ask('head', 'eth_getTransactionReceipt', hash)) as { blockHash: string };
    const balance = await ask('head', 'eth_getBalance', payer, 'latest');
    await pool.reorganise(1);
    await anvil.mine(5);
    await pool.reorganise(2);
    expect(await ask('head', 'eth_getTransactionReceipt', hash)).toBeNull();
    expect(await ask('forked', 'eth_getTransactionReceipt', hash)).toEqual(receipt);
    expect(await ask('forked', 'eth_getBlockReceipts', 'latest')).toEqual([receipt]);
    expect(await ask('forked', 'eth_getTransactionByHash', hash)).toMatchObject({ blockHash: receipt.blockHash });
    expect(await ask('forked', 'eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: '0xb',
      hash: receipt.blockHash,
      transactions: [hash],
    });
    expect(await ask('forked', 'eth_getBlockByHash', receipt.blockHash, true)).toMatchObject({
      transactions: [{ hash, from: payer.toLowerCase() }],
    });
    expect(await ask('forked', 'eth_getBlockByNumber', '0xc', false)).toBeNull();
    expect(await ask('forked', 'eth_getBlockByNumber', 'finalized', false)).toMatchObject({ number: '0x7' });
    expect(await ask('forked', 'eth_getTransactionCount', payer, { blockHash: receipt.blockHash })).toBe('0x1');
    expect(await ask('head', 'eth_getTransactionCount', payer, { blockHash: receipt.blockHash })).not.toBe('0x1');
    expect(await ask('forked', 'eth_getBalance', payer, 'latest')).toBe(balance);
    expect(await ask('forked', 'eth_getBalance', payee, 'latest')).toBe('0xde0b6b3a7640000');
    pool.rejoin();
    expect(await ask('forked', 'eth_getTransactionReceipt', hash)).toBeNull();
    expect(await ask('forked', 'eth_blockNumber')).toBe('0x10');
  });

  it('makes the restored machine lose receipts and keep blocks', async () => {
    const hash = await pay();
    await pool.loseReceipts();
    expect(await ask('restored', 'eth_getTransactionReceipt', hash)).toBeNull();
    expect(await ask('restored', 'eth_getTransactionByHash', hash)).toBeNull();
    expect(await ask('restored', 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ transactions: [hash] });
    const later = await pay();
    expect(await ask('restored', 'eth_getTransactionReceipt', later)).toMatchObject({ transactionHash: later });
    pool.restoreReceipts();
    expect(await ask('restored', 'eth_getTransactionReceipt', hash)).toMatchObject({ transactionHash: hash });
  });

  it('splits a batch over the machines', async () => {
    await anvil.mine(10);
    const machines: Machine[] = ['head', 'lagging'];
    pool.route = () => machines.shift()!;
    const call = { jsonrpc: '2.0', method: 'eth_blockNumber', params: [] };
    expect(
      await post([
        { ...call, id: 1 },
        { ...call, id: 2 },
      ]),
    ).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0xa' },
      { jsonrpc: '2.0', id: 2, result: '0x7' },
    ]);
  });
});

describe('a pool of Solana machines', () => {
  const FINALIZED_AFTER = 10;
  let runtime: SolanaRuntime;

  beforeEach(async () => {
    runtime = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
  });
  afterEach(() => runtime.stop());

  async function ask<T>(machine: Machine, method: string, ...params: unknown[]): Promise<T> {
    runtime.route = () => machine;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(runtime.url, { method: 'POST', body });
    const { result, error } = (await answer.json()) as { result?: T; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result!;
  }

  const HISTORY = { searchTransactionHistory: true };
  const PROCESSED = { commitment: 'processed' };

  /** Pays a hundredth of a coin to a new address in the newest block. */
  async function paid(): Promise<{ signature: string; dest: string; slot: number }> {
    const signer = await generateKeyPairSigner();
    const dest = newAddress('solana');
    runtime.fund(signer.address, 10n * SOL);
    const { value } = await ask<{ value: { blockhash: Blockhash; lastValidBlockHeight: number } }>(
      'head',
      'getLatestBlockhash',
      PROCESSED,
    );
    const lifetime = { ...value, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) };
    const instruction = getTransferSolInstruction({ source: signer, destination: address(dest), amount: SOL / 100n });
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstruction(instruction, message),
      ),
    );
    const wire = getBase64EncodedWireTransaction(transaction);
    return { signature: await ask('head', 'sendTransaction', wire), dest, slot: runtime.slot };
  }

  it('makes the lagging machine respond as of the fourth newest block', async () => {
    const { signature, dest, slot } = await paid();
    runtime.advance(3);
    const statuses = (machine: Machine) => ask(machine, 'getSignatureStatuses', [signature], HISTORY);
    expect(await statuses('head')).toMatchObject({ value: [{ slot, confirmationStatus: 'confirmed' }] });
    expect(await statuses('lagging')).toEqual({ context: { slot: slot - 1 }, value: [null] });
    expect(await ask('head', 'getBalance', dest)).toMatchObject({ value: 10_000_000 });
    expect(await ask('lagging', 'getBalance', dest)).toMatchObject({ value: 0 });
    expect(await ask('lagging', 'getSlot', PROCESSED)).toBe(slot - 1);
    await expect(ask('lagging', 'getBlock', slot, { commitment: 'confirmed' })).rejects.toThrow('not available');
    runtime.advance();
    expect(await statuses('lagging')).toMatchObject({ value: [{ slot, confirmationStatus: 'processed' }] });
    expect(await ask('lagging', 'getBalance', dest)).toMatchObject({ value: 10_000_000 });
  });

  it('keeps the forked machine on the dropped blocks until it rejoins', async () => {
    const { signature, dest, slot } = await paid();
    runtime.advance(2);
    const block = (machine: Machine, at: number) =>
      ask<{ signatures: string[]; blockhash: string; previousBlockhash: string; parentSlot: number }>(
        machine,
        'getBlock',
        at,
        { commitment: 'confirmed', transactionDetails: 'signatures' },
      );
    runtime.fork(3);
    runtime.advance(30);
    const [ours, theirs] = [await block('head', slot), await block('forked', slot)];
    expect([ours.signatures, theirs.signatures]).toEqual([[], [signature]]);
    expect(ours.blockhash).not.toBe(theirs.blockhash);
    expect(ours.previousBlockhash).toBe(theirs.previousBlockhash);
    expect((await block('head', slot + 1)).previousBlockhash).toBe(ours.blockhash);
    expect((await block('forked', slot + 1)).previousBlockhash).toBe(theirs.blockhash);
    expect(await ask('forked', 'getSignatureStatuses', [signature])).toMatchObject({
      value: [{ slot, confirmationStatus: 'confirmed' }],
    });
    expect(await ask('head', 'getSignatureStatuses', [signature], HISTORY)).toMatchObject({ value: [null] });
    expect(await ask('forked', 'getBalance', dest)).toMatchObject({ value: 10_000_000 });
    expect(await ask('head', 'getBalance', dest)).toMatchObject({ value: 0 });
    runtime.rejoin();
    expect(await ask('forked', 'getBalance', dest)).toMatchObject({ value: 0 });
  });

  it('makes the restored machine lack the blocks of a hole, to which the next block is not linked', async () => {
    const { signature, slot } = await paid();
    runtime.advance(2);
    runtime.restartFromSnapshot(3, ['restored']);
    runtime.skip(2);
    runtime.advance(FINALIZED_AFTER + 1);
    const slots = (machine: Machine) => ask(machine, 'getBlocks', slot - 1, slot + 6);
    expect(await slots('head')).toEqual([slot - 1, slot, slot + 1, slot + 2, slot + 5, slot + 6]);
    expect(await slots('restored')).toEqual([slot - 1, slot + 5, slot + 6]);
    const { blockHeight } = await ask<{ blockHeight: number }>('restored', 'getBlock', slot - 1);
    expect(await ask('restored', 'getBlock', slot + 5)).toMatchObject({
      parentSlot: slot + 2,
      blockHeight: blockHeight + 4,
    });
    await expect(ask('restored', 'getBlock', slot)).rejects.toThrow('skipped, or missing');
    await expect(ask('head', 'getBlock', slot + 3)).rejects.toThrow('skipped, or missing');
    expect(await ask('restored', 'getSignatureStatuses', [signature], HISTORY)).toMatchObject({ value: [null] });
    expect(await ask('restored', 'getTransaction', signature)).toBeNull();
    runtime.fillHoles();
    expect(await ask('restored', 'getTransaction', signature)).toMatchObject({ slot });
  });
});
