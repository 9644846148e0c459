/** What the operator may set about transfers. */
export abstract class TransferSettings {
  /** How long confirming waits for the chain. */
  abstract readonly confirmWaitSeconds: number;
  /** After how long without being mined the head of a lane gets a dearer attempt. */
  abstract readonly bumpAfterSeconds: number;
  /** After how long without being mined a transfer counts as stuck. */
  abstract readonly stuckAfterSeconds: number;
  /** CAIP-2 name of the service's Ethereum, whether or not it has a node there. */
  abstract readonly ethereumNetwork: string;
  /** Ceilings of the operator, in wei for one gas. */
  abstract readonly ethereumMaxFeePerGas: bigint;
  abstract readonly ethereumMaxTip: bigint;
  /** Whether this process is about to end, so that nobody should wait for anything. */
  abstract readonly isStopping: boolean;
}
