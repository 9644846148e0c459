/**
 * Where processes are killed by SIGKILL: after COMMIT, between sequencing and claim, after the claim, after the last byte of a
 * request, after a 2xx before it is recorded, while an endpoint is disabled and while its secret is rotated. `postgres`: PostgreSQL
 * is killed. `commit-cut`: the connection is cut in COMMIT.
 */
export const PLACES = [
  'disabling',
  'after-commit',
  'after-sequencing',
  'commit-cut',
  'after-claim',
  'postgres',
  'after-request',
  'rotating',
  'before-record',
] as const;
export type Place = (typeof PLACES)[number];

export interface EventChaosSettings {
  readonly seed: number;
  readonly events: number;
  /** How often each place is hit. */
  readonly rounds: number;
  /** `ROLE` of each process. */
  readonly roles: readonly ('api' | 'worker' | 'all')[];
  readonly users: number;
  readonly clients: number;
  /** How many places are tried at a time. */
  readonly lanes: number;
  /** The time limit of an attempt; 0: that of the service. */
  readonly timeoutMs: number;
  /** Whether the leases of a killed worker end at once. Only with a single worker. */
  readonly endsLeases: boolean;
  readonly log: (line: string) => void;
}

/** The settings in the gate. */
export const SHORT: Omit<EventChaosSettings, 'seed'> = {
  events: 1_000,
  rounds: 1,
  roles: ['api', 'api', 'worker'],
  users: 40,
  clients: 4,
  lanes: 1,
  timeoutMs: 3_000,
  endsLeases: true,
  log: () => {},
};

/** The time limit and the leases are those of the service. */
export const LONG: Omit<EventChaosSettings, 'seed'> = {
  events: 20_000,
  rounds: 12,
  roles: ['all', 'all', 'worker'],
  users: 400,
  clients: 8,
  lanes: 2,
  timeoutMs: 0,
  endsLeases: false,
  log: console.log,
};
