import { seededRandom } from '../support/machine-pool.js';
import { SURROUNDINGS } from './troubles/index.js';

/**
 * What may go wrong:
 * - `calls`: requests and answers are lost, garbled, late, repeated or stale, in storms.
 * - `kills`: a replica is killed by SIGKILL. `pauses`: it is stopped by SIGSTOP, if possible while it holds a sender's lock.
 * - `crashes`: PostgreSQL crashes and loses what was not committed durably.
 * - `forks`: blocks are replaced. `machines`: each call is answered by another machine, one behind, one on a fork.
 * - `history`: a machine, or all of them for a while, lack receipts (EVM networks) or blocks (Solana).
 * - `held`: Solana nodes keep or forget what they accepted. `expiries`: all blockhashes expire. `mempools`: nodes forget pending transactions.
 * - `fees`: the base fee rises, also above what the operator allows. `cancels`: clients cancel transfers that are stuck.
 *
 * Those of chains and nodes happen on each network. `SURROUNDINGS` is what else happens around the service, each in a file of its own.
 */
const FAULTS = [
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
export type Surrounding = ReturnType<(typeof SURROUNDINGS)[number]>['name'];
export type Trouble = (typeof FAULTS)[number] | Surrounding;

const SURROUNDING_NAMES: readonly Surrounding[] = SURROUNDINGS.map((kind) => kind().name);
export const TROUBLES: readonly Trouble[] = [...FAULTS, ...SURROUNDING_NAMES];

/** Surroundings that every run has. */
const ALWAYS: readonly Surrounding[] = ['budgets', 'agents', 'approvals', 'batches', 'max', 'acceptances'];

/** All faults, the surroundings that every run has, and `count` further surroundings that the seed chooses. */
export function someTroubles(seed: number, count: number): Trouble[] {
  const random = seededRandom(seed);
  const left = SURROUNDING_NAMES.filter((name) => !ALWAYS.includes(name));
  const chosen = Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0]!);
  return [...FAULTS, ...ALWAYS, ...chosen];
}

export interface ChaosSettings {
  readonly transfersPerNetwork: number;
  readonly seed: number;
  /** Each pays on all networks of its type. */
  readonly walletsPerType?: number;
  /** Clients on each network at a time. */
  readonly clients?: number;
  readonly troubles?: readonly Trouble[];
  /** If absent, the seed decides. */
  readonly endpoints?: 1 | 2;
  readonly finality?: 'depth' | 'tag';
  readonly synchronousCommit?: 'on' | 'off';
  /** Milliseconds between kills, on average. */
  readonly killEveryMs?: number;
  /** How long a replica is stopped. */
  readonly pauseMs?: number;
  /** The maximum number of kills, of pauses, of PostgreSQL crashes, and of each heavy trouble. */
  readonly mostOutages?: number;
  /** Transfers on each network whose end is made impossible to prove after all other transfers have ended. */
  readonly unprovable?: number;
  /**
   * The time limit for the remaining transfers after the faults end. High, because the test waits for the end of all.
   */
  readonly settleSeconds?: number;
  /** The time limit for the whole run, which then fails with what it waits for. */
  readonly limitSeconds?: number;
  /** Receives the progress as lines. */
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
    walletsPerType: 4,
    clients: 6,
    troubles: TROUBLES,
    killEveryMs: 2_500,
    pauseMs: 12_000,
    unprovable: 0,
    mostOutages: Infinity,
    settleSeconds: 600,
    limitSeconds: 86_400,
    log: () => {},
    ...settings,
  };
}

/** The settings in the gate: small, with every kind of fault at least once on any machine. */
export const SHORT = {
  transfersPerNetwork: 5,
  pauseMs: 3_000,
  mostOutages: 2,
  unprovable: 1,
  settleSeconds: 300,
  limitSeconds: 900,
} as const;

/** Stops replicas for longer than every timeout of the service. */
export const LONG = {
  transfersPerNetwork: 330,
  walletsPerType: 8,
  clients: 12,
  pauseMs: 35_000,
  unprovable: 10,
  settleSeconds: 7_200,
} as const;
