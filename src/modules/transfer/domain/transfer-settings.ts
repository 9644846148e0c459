import type { ChainName } from '../../../kernel/chain/chain-name.js';

/** The operator's settings for transfers. */
export abstract class TransferSettings {
  /** How long a confirmation waits for the chain. */
  abstract readonly confirmWaitSeconds: number;
  /** How long the head of a sender queue waits for a block before a replacement with higher fees is signed. */
  abstract readonly bumpAfterSeconds: number;
  /** How long a transfer may wait for a block before it is marked stuck. */
  abstract readonly stuckAfterSeconds: number;
  /** The operator's ceilings on the EVM network with this CAIP-2 name, in wei per gas; null: it is not configured. */
  abstract readonly feeCeilings: (
    network: string,
  ) => { readonly name: ChainName; readonly maxFeePerGas: bigint; readonly maxTip: bigint } | null;
  /** Whether the service only reads: payments that were sent are observed, and nothing is signed or sent. */
  abstract readonly onlyObserves: boolean;
  /** Whether this process is shutting down, so that no request should keep waiting. */
  abstract readonly isStopping: boolean;
}
