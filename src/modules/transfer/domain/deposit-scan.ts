import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { FinalBlock, FoundDeposits } from '../../../kernel/chain/deposit.js';

/** The search for deposits on a network, up to a block. */
export interface DepositScan {
  readonly chain: ChainName;
  /** The CAIP-2 name of the network. */
  readonly network: string;
  readonly at: FinalBlock;
}

/** A search as metrics show it. */
export interface DepositScanState {
  readonly chain: ChainName;
  /** The final blocks that were seen and not yet searched. */
  readonly behindBlocks: number;
  readonly isStopped: boolean;
}

/** Keeps how far the final blocks of each network were searched. */
export abstract class DepositScanRepository {
  /** Whether the search on the network has begun. */
  abstract has(network: string): Promise<boolean>;

  /** Begins the search after this block. It changes nothing if it has begun. */
  abstract begin(scan: DepositScan): Promise<void>;

  /** Claims the search for a minute if it is due; else null. Two claims may still overlap: then `advance` decides. */
  abstract claim(chain: ChainName, network: string): Promise<DepositScan | null>;

  /** Stores how far a part of the search came. False when another process was first: then nothing that it found may be stored. */
  abstract advance(
    scan: DepositScan,
    found: Pick<FoundDeposits, 'upTo' | 'newest'>,
    pauseSeconds: number,
  ): Promise<boolean>;

  /** The search is due again after this time. */
  abstract pause(network: string, seconds: number): Promise<void>;

  /** Marks the search as stopped, because the chain does not contain its block. False if it was marked before. */
  abstract markStopped(network: string): Promise<boolean>;

  /** Forgets the searches on the network with this name or CAIP-2 name, which then begin again at the newest final block. Returns their number. */
  abstract forget(network: string): Promise<number>;

  abstract states(): Promise<readonly DepositScanState[]>;
}
