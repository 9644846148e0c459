import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { FinalBlock, FoundDeposits } from '../../../../kernel/chain/deposit.js';

export interface DepositScan {
  readonly chain: ChainName;
  readonly network: string;
  readonly at: FinalBlock;
}

export interface DepositScanState {
  readonly chain: ChainName;
  readonly behindBlocks: number;
  readonly isStopped: boolean;
}

export abstract class DepositScanRepository {
  abstract has(network: string): Promise<boolean>;

  /** Changes nothing if it has begun. */
  abstract begin(scan: DepositScan): Promise<void>;

  /** Claims the search for a minute if it is due. Two claims may still overlap: then `advance` decides. */
  abstract claim(chain: ChainName, network: string): Promise<DepositScan | null>;

  /** False when another process was first: then nothing that it found may be stored. */
  abstract advance(
    scan: DepositScan,
    found: Pick<FoundDeposits, 'upTo' | 'newest'>,
    pauseSeconds: number,
  ): Promise<boolean>;

  abstract pause(network: string, seconds: number): Promise<void>;

  /** The chain does not contain its block. False if it was marked before. */
  abstract markStopped(network: string): Promise<boolean>;

  /** `network` is a name or CAIP-2 name. The searches begin again at the newest final block. */
  abstract forget(network: string): Promise<number>;

  abstract states(): Promise<readonly DepositScanState[]>;
}
