import { seededRandom } from '../support/machine-pool.js';

/**
 * What may go wrong:
 * - `calls`: requests and answers are lost, garbled, late, repeated or stale, in storms.
 * - `kills`: a replica is killed by SIGKILL. `pauses`: it is stopped by SIGSTOP, if possible while it holds a sender's lock.
 * - `crashes`: PostgreSQL crashes and loses what was not committed durably.
 * - `forks`: blocks are replaced. `machines`: each call is answered by another machine, one behind, one on a fork.
 * - `history`: a machine, or all of them for a while, lack receipts (Ethereum) or blocks (Solana).
 * - `held`: Solana nodes keep or forget what they accepted. `expiries`: all blockhashes expire. `mempools`: nodes forget what waits.
 * - `fees`: the base fee rises, also above what the operator allows. `cancels`: clients cancel transfers that are stuck.
 */
export const TROUBLES = [
  'calls',
  'kills',
  'pauses',
  'crashes',
  'forks',
  'machines',
  'history',
  'held',
  'expiries',
  'mempools',
  'fees',
  'cancels',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface ChaosSettings {
  readonly transfersPerChain: number;
  readonly seed: number;
  readonly walletsPerChain?: number;
  /** Clients at work on each chain at a time. */
  readonly clients?: number;
  readonly troubles?: readonly Trouble[];
  /** Absent, the seed decides. */
  readonly endpoints?: 1 | 2;
  readonly finality?: 'depth' | 'tag';
  readonly synchronousCommit?: 'on' | 'off';
  /** Milliseconds between kills, on average. */
  readonly killEveryMs?: number;
  /** How long a replica is stopped. */
  readonly pauseMs?: number;
  /** How often a replica is killed, a replica is stopped, and PostgreSQL crashes, at most each. */
  readonly mostOutages?: number;
  /** Transfers on each chain whose end is made impossible to prove once all others have ended. */
  readonly unprovable?: number;
  /** How long the rest may take to end once the faults are lifted. Far away: what is waited for is that all have ended. */
  readonly settleSeconds?: number;
  /** Is told in one line how far the run is. */
  readonly log?: (line: string) => void;
}

export type Plan = Required<ChaosSettings>;

export function planOf(settings: ChaosSettings): Plan {
  const random = seededRandom(settings.seed);
  const either = <T>(one: T, other: T): T => (random() < 0.5 ? one : other);
  return {
    endpoints: either(1, 2),
    finality: either('depth', 'tag'),
    synchronousCommit: either('off', 'on'),
    walletsPerChain: 4,
    clients: 6,
    troubles: TROUBLES,
    killEveryMs: 2_500,
    pauseMs: 12_000,
    unprovable: 0,
    mostOutages: Infinity,
    settleSeconds: 600,
    log: () => {},
    ...settings,
  };
}

/** The form that runs in the gate: small, and every kind of trouble at least once however fast the machine is. */
export const SHORT = { transfersPerChain: 12, pauseMs: 3_000, mostOutages: 2, unprovable: 1 } as const;

/** Stops replicas for longer than every timeout of the service. */
export const LONG = {
  transfersPerChain: 500,
  walletsPerChain: 8,
  clients: 12,
  pauseMs: 35_000,
  unprovable: 10,
  settleSeconds: 7_200,
} as const;
