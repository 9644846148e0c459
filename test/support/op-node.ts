import { getCreateAddress, Wallet } from 'ethers';
import { createRequire } from 'node:module';
import { tokenCode } from './anvil.js';
import { type RpcAnswer, serveRpc } from './rpc-server.js';

/** The predeployed contract with the prices of the chain below. */
const L1_BLOCK = '0x4200000000000000000000000000000000000015';

/** The part of EDR's interface that is used here. The package of its binary has no types. */
interface Edr {
  readonly EdrContext: new () => Context;
  /** The one context of the process, which all test files share: EDR allows no second one, and this module is loaded once for each file. */
  contextOfTests?: Promise<Context>;
  readonly ContractDecoder: new () => object;
  readonly OP_CHAIN_TYPE: string;
  readonly ISTHMUS: string;
  readonly OpHardfork: { readonly Isthmus: number };
  readonly MineOrdering: { readonly Priority: string };
  opProviderFactory(): unknown;
  opGenesisState(hardfork: number): readonly object[];
}

interface Context {
  registerProviderFactory(chainType: string, factory: unknown): Promise<void>;
  createProvider(chainType: string, ...settings: object[]): Promise<Provider>;
}

interface Provider {
  handleRequest(request: string): Promise<{ readonly data: unknown }>;
}

/** The prices by which the network takes the L1 and the operator fee. */
export interface L1Prices {
  /** In wei per gas of the chain below. */
  readonly baseFee: bigint;
  readonly blobBaseFee?: bigint;
  readonly baseFeeScalar?: number;
  readonly blobBaseFeeScalar?: number;
  /** In millionths of a wei per gas. */
  readonly operatorScalar?: number;
  /** In wei per transaction. */
  readonly operatorConstant?: bigint;
}

/** A network of the OP stack on Hardhat's engine, which takes the L1 and the operator fee as the fork Isthmus does. */
export class OpNode {
  readonly chainId = 8453;

  private constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
    private readonly provider: Provider,
  ) {}

  /** `mines`: a block per transaction; else only `mine` makes blocks. */
  static async start({ mines = false } = {}): Promise<OpNode> {
    const provider = await newProvider(mines);
    const { url, stop } = await serveRpc((request) => ask(provider, request));
    const node = new OpNode(url, stop, provider);
    await node.price({ baseFee: 20n * 10n ** 9n });
    // The engine takes the operator fee of calls without a sender from this address.
    await node.fund(`0x${'0'.repeat(40)}`, 10n ** 18n);
    await node.mine();
    return node;
  }

  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await ask(this.provider, { jsonrpc: '2.0', id: 1, method, params });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  async mine(blocks = 1): Promise<void> {
    await this.call('hardhat_mine', `0x${blocks.toString(16)}`);
  }

  async fund(address: string, wei: bigint): Promise<void> {
    await this.call('hardhat_setBalance', address, `0x${wei.toString(16)}`);
  }

  async balance(address: string): Promise<bigint> {
    return BigInt(await this.call<string>('eth_getBalance', address, 'latest'));
  }

  /** Sets the prices of the next blocks. */
  async price(prices: L1Prices): Promise<void> {
    const { baseFee, blobBaseFee = baseFee / 20n, baseFeeScalar = 2_269, blobBaseFeeScalar = 1_055_762 } = prices;
    const { operatorScalar = 5_000_000, operatorConstant = 70_000_000n } = prices;
    const scalars = Buffer.alloc(32);
    scalars.writeUInt32BE(baseFeeScalar, 16);
    scalars.writeUInt32BE(blobBaseFeeScalar, 20);
    const operator = Buffer.alloc(32);
    operator.writeUInt32BE(operatorScalar, 20);
    operator.writeBigUInt64BE(operatorConstant, 24);
    const slots = {
      1: word(baseFee),
      3: `0x${scalars.toString('hex')}`,
      7: word(blobBaseFee),
      8: `0x${operator.toString('hex')}`,
    };
    for (const [slot, value] of Object.entries(slots))
      await this.call('hardhat_setStorageAt', L1_BLOCK, `0x${slot}`, value);
  }

  /** The address of a new token with six decimals, which `holder` owns entirely. */
  async deployToken(holder: string, supply: bigint): Promise<string> {
    const deployer = Wallet.createRandom();
    await this.fund(deployer.address, 10n ** 18n);
    const fees = { type: 2, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n };
    const data = tokenCode(holder, supply, 6, 'honest');
    const raw = await deployer.signTransaction({
      ...fees,
      chainId: this.chainId,
      nonce: 0,
      gasLimit: 2_000_000n,
      data,
    });
    await this.call('eth_sendRawTransaction', raw);
    await this.mine();
    return getCreateAddress({ from: deployer.address, nonce: 0 });
  }

  /** Whether each transaction gets a block. Those that wait get one at once. */
  async setMining(mines: boolean): Promise<void> {
    await this.call('evm_setAutomine', mines);
    if (mines) await this.mine();
  }
}

async function newProvider(mines: boolean): Promise<Provider> {
  const edr = createRequire(import.meta.url)('@nomicfoundation/edr-linux-x64-gnu') as Edr;
  const context = await (edr.contextOfTests ??= newContext(edr));
  return context.createProvider(
    edr.OP_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: 8453n,
      coinbase: Buffer.alloc(20, 0xc0),
      defaultTransactionGasLimit: 30_000_000n,
      genesisState: edr.opGenesisState(edr.OpHardfork.Isthmus),
      hardfork: edr.ISTHMUS,
      initialBaseFeePerGas: 1_000_000n,
      initialParentBeaconBlockRoot: Buffer.alloc(32),
      minGasPrice: 0n,
      mining: { autoMine: mines, blockGasLimit: 60_000_000n, memPool: { order: edr.MineOrdering.Priority } },
      network: { genesisBlockGasLimit: 60_000_000n, genesisBlobGas: { gasUsed: 0n, excessGas: 0n } },
      networkId: 8453n,
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  );
}

async function newContext(edr: Edr): Promise<Context> {
  const context = new edr.EdrContext();
  await context.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory());
  return context;
}

async function ask(provider: Provider, request: object): Promise<RpcAnswer> {
  const { data } = await provider.handleRequest(JSON.stringify(request));
  return (typeof data === 'string' ? JSON.parse(data) : data) as RpcAnswer;
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
