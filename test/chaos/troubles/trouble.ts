import type { Books } from '../books.js';
import type { Chains } from '../chains.js';
import { type Client, MANAGEMENT_KEY, type Order, type Wallet } from '../client.js';
import type { NetworkName } from '../networks/names.js';
import type { Pace } from '../pace.js';
import type { CrashingPostgres } from '../postgres.js';
import type { Replica } from '../replica.js';

/** The service, the chains and the wallets on which the troubles of this folder work. */
export interface Stage {
  readonly chains: Chains;
  readonly postgres: CrashingPostgres;
  readonly books: Books;
  readonly client: Client;
  readonly replicas: readonly Replica[];
  /** The environments of the replicas, read at each start. */
  readonly envs: readonly Record<string, string>[];
  readonly wallets: readonly Wallet[];
  readonly orders: Order[];
  /** The keys that exist outside the service, by address. Transactions that the service did not sign are made with them. */
  readonly keys: Map<string, string>;
  readonly random: () => number;
  readonly pace: Pace;
  /** Kills a replica and starts it again with the current environment; false if it is not running now. */
  restart(replica: Replica): Promise<boolean>;
}

/**
 * A kind of trouble. It is made from time to time (`make`), or it is a property of some orders (`shape`). The run counts how
 * often each happened, and a run in which one never did is invalid.
 */
export interface TroubleKind<Name extends string = string> {
  readonly name: Name;
  /** The networks on each of which it must happen. Absent: it acts on no network, or on any. */
  readonly networks?: readonly NetworkName[];
  /** The milliseconds between two `make`, on average; on each of its networks. */
  readonly everyMs?: number;
  /** Whether it takes much work, so that a small run makes it a few times only. */
  readonly isHeavy?: boolean;
  /** Before the first payment and the first fault. */
  prepare?(stage: Stage): Promise<void>;
  /** Makes it now, on one of its `networks`; false: there was nothing to make it from. */
  make?(stage: Stage, network: NetworkName): Promise<boolean | void>;
  /** The order with this property; null if it cannot have it. */
  shape?(order: Order, stage: Stage): Promise<Order | null>;
  /** Does what its orders wait for, also when the faults have ended. */
  serve?(stage: Stage): Promise<void>;
  /** How often it happened, where only the chain shows it; absent: as often as it was made. */
  happened?(stage: Stage, network: NetworkName): Promise<number>;
  stop?(): Promise<void>;
}

/** One of these, or undefined if there is none. */
export function oneOf<T>(all: readonly T[], random: () => number): T | undefined {
  return all[Math.floor(random() * all.length)];
}

/** Fees with which a transaction replaces one of the service that waits with the same nonce. */
export const URGENT_FEES = { maxFeePerGas: 400n * 10n ** 9n, maxPriorityFeePerGas: 100n * 10n ** 9n };

/** Puts a version of a policy in force. Its commit is durable, so no crash of the database takes it back. */
export async function putInForce({ client }: Stage, appId: string, id: string): Promise<void> {
  await client.insist('POST', `/management/v1/apps/${appId}/policies/${id}/activate`, MANAGEMENT_KEY, {});
}
