import { id, JsonRpcProvider, Wallet } from 'ethers';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TRANSFER_LOG = id('Transfer(address,address,uint256)');
/** The first account that anvil funds; its key is public. */
const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export interface AnvilSettings {
  /** Seconds between blocks; absent: a block per transaction; 'never': only `mine` makes blocks. */
  readonly blockTime?: number | 'never';
  readonly chainId?: number;
  /** Of the first block, in epoch seconds: two chains with one time and one id have the same first block. */
  readonly timestamp?: number;
  /** The number of blocks whose states it keeps. */
  readonly states?: number;
}

/** A local Ethereum in its own process, which ends with this one. */
export class Anvil {
  private constructor(
    readonly url: string,
    readonly chainId: number,
    private readonly process: ChildProcess,
    readonly provider: JsonRpcProvider,
  ) {}

  static async start({ blockTime, chainId = 31_337, timestamp, states }: AnvilSettings = {}): Promise<Anvil> {
    const mining = blockTime === undefined ? [] : blockTime === 'never' ? ['--no-mining'] : ['-b', String(blockTime)];
    const first = timestamp === undefined ? [] : ['--timestamp', String(timestamp)];
    const kept = states === undefined ? [] : ['--max-persisted-states', String(states)];
    const child = spawn(binary(), ['--port', '0', '--chain-id', String(chainId), ...mining, ...first, ...kept], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (error) =>
        reject(
          new Error('anvil did not start: on this platform install Foundry, so that it is on the PATH', {
            cause: error,
          }),
        ),
      );
      child.once('exit', (code) => reject(new Error(`anvil ended with ${code} while starting`)));
    });
    // A killed test must not leave it running.
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    // It chooses a free port itself, so that no other process can be first.
    const url = `http://${await Promise.race([addressPrintedBy(child), failed])}`;
    failed.catch(() => {});
    const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
    return new Anvil(url, chainId, child, provider);
  }

  async stop(): Promise<void> {
    this.provider.destroy();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }

  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.provider.send(method, params) as Promise<T>;
  }

  async mine(blocks = 1): Promise<void> {
    await this.call('anvil_mine', `0x${blocks.toString(16)}`);
  }

  async fund(address: string, wei: bigint): Promise<void> {
    await this.call('anvil_setBalance', address, `0x${wei.toString(16)}`);
  }

  /** Replaces the newest blocks by the same number of empty ones; their transactions also leave the pool. */
  async reorganise(blocks: number): Promise<void> {
    await this.call('anvil_reorg', blocks, []);
  }

  /** An account with enough ether for every test. */
  rich(): Wallet {
    return new Wallet(RICH_KEY, this.provider);
  }

  balance(address: string): Promise<bigint> {
    return this.provider.getBalance(address);
  }

  /**
   * The address of a new token that `holder` owns entirely. `behaviour` is what its transfers do: pay, report success
   * without moving anything, keep a tenth, or refuse.
   */
  async deployToken(
    holder: string,
    supply: bigint,
    decimals = 6,
    behaviour: TokenBehaviour = 'honest',
  ): Promise<string> {
    const hash = await this.call<string>('eth_sendTransaction', {
      from: this.rich().address,
      data: tokenCode(holder, supply, decimals, behaviour),
      gas: '0x1e8480',
    });
    await this.mine();
    const receipt = await this.provider.getTransactionReceipt(hash);
    if (!receipt?.contractAddress || receipt.status !== 1) throw new Error('The token was not deployed.');
    return receipt.contractAddress;
  }
}

export type TokenBehaviour = 'honest' | 'silent' | 'taxing' | 'refusing';

/**
 * The creation code of an ERC-20 token, assembled here because a compiler would be another dependency. It knows
 * balanceOf, decimals and transfer; the storage slot of an address's number holds its balance.
 */
export function tokenCode(holder: string, supply: bigint, decimals: number, behaviour: TokenBehaviour): string {
  const answer = '60005260206000f3'; // return the top of the stack
  const revert = '60006000fd';
  const dest = '600435';
  const amount = '602435';
  const moved = behaviour === 'taxing' ? `600a6009${amount}0204` : amount; // nine tenths
  const transfer: Record<TokenBehaviour, Piece[]> = {
    refusing: [revert],
    silent: ['6001', answer],
    honest: move(),
    taxing: move(),
  };
  function move(): Piece[] {
    return [
      `${amount}335410`, // balance[caller] < amount?
      { to: 'refuse' },
      '57',
      `${amount}3354033355`, // balance[caller] -= amount
      `${moved}${dest}5401${dest}55`, // balance[dest] += moved
      `${moved}600052${dest}337f${TRANSFER_LOG.slice(2)}60206000a3`, // log Transfer(caller, dest, moved)
      '6001',
      answer,
      { label: 'refuse' },
      revert,
    ];
  }
  const isCalled = (signature: string, label: string): Piece[] => [
    `8063${id(signature).slice(2, 10)}14`,
    { to: label },
    '57',
  ];
  const runtime = assemble([
    '60003560e01c', // the selector
    ...isCalled('balanceOf(address)', 'balance'),
    ...isCalled('decimals()', 'decimals'),
    ...isCalled('transfer(address,uint256)', 'transfer'),
    revert,
    { label: 'balance' },
    `${dest}54${answer}`,
    { label: 'decimals' },
    `60${byte(decimals)}${answer}`,
    { label: 'transfer' },
    ...transfer[behaviour],
  ]);
  const length = `61${(runtime.length / 2).toString(16).padStart(4, '0')}`;
  const endow = `7f${word(supply)}7f${word(BigInt(holder))}55`;
  const deploy = `${length}610052600039${length}6000f3`;
  return `0x${endow}${deploy}${runtime}`;
}

type Piece = string | { readonly label: string } | { readonly to: string };

/** Code with resolved jumps: `to` pushes the position of `label`. */
function assemble(pieces: readonly Piece[]): string {
  const places = new Map<string, number>();
  let length = 0;
  for (const piece of pieces) {
    if (typeof piece !== 'string' && 'label' in piece) places.set(piece.label, length);
    length += typeof piece === 'string' ? piece.length / 2 : 'label' in piece ? 1 : 3;
  }
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return 'label' in piece ? '5b' : `61${places.get(piece.to)!.toString(16).padStart(4, '0')}`;
    })
    .join('');
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** The binary from npm, or the one on the PATH. */
function binary(): string {
  const packaged = join(import.meta.dirname, '../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
  return existsSync(packaged) ? packaged : 'anvil';
}

/** Where anvil listens. What it prints afterwards, a line for each call, is read and dropped. */
async function addressPrintedBy({ stdout }: ChildProcess): Promise<string> {
  let printed = '';
  const address = await new Promise<string>((resolve) => {
    stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const [, found] = /^Listening on (\S+)\n/m.exec(printed) ?? [];
      if (found) resolve(found);
    });
  });
  stdout!.removeAllListeners('data').resume();
  return address;
}
