import type { ChainName } from '../../../../kernel/chain/chain-name.js';

export abstract class TransferSettings {
  abstract readonly confirmWaitSeconds: number;
  /** After this time the head of a sender queue is signed again with higher fees. */
  abstract readonly bumpAfterSeconds: number;
  abstract readonly stuckAfterSeconds: number;
  /** Takes a CAIP-2 name and returns wei per gas; null: the network is not configured. */
  abstract readonly feeCeilings: (
    network: string,
  ) => { readonly name: ChainName; readonly maxFeePerGas: bigint; readonly maxTip: bigint } | null;
  /** Payments that were sent are observed, and nothing is signed or sent. */
  abstract readonly onlyObserves: boolean;
  abstract readonly isStopping: boolean;
}
