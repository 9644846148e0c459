/** The operator's settings for transfers. */
export abstract class TransferSettings {
  /** How long a confirmation waits for the chain. */
  abstract readonly confirmWaitSeconds: number;
  /** How long the head of a sender queue waits for a block before a replacement with higher fees is signed. */
  abstract readonly bumpAfterSeconds: number;
  /** How long a transfer may wait for a block before it is marked stuck. */
  abstract readonly stuckAfterSeconds: number;
  /** CAIP-2 name of the service's Ethereum network, whether or not a node is configured. */
  abstract readonly ethereumNetwork: string;
  /** The ceilings of the operator, in wei per gas. */
  abstract readonly ethereumMaxFeePerGas: bigint;
  abstract readonly ethereumMaxTip: bigint;
  /** Whether this process is shutting down, so that no request should keep waiting. */
  abstract readonly isStopping: boolean;
}
