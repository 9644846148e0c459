import type { ApprovalVerdict, BudgetVerdict } from './books.js';
import type { NetworkName } from './networks/names.js';

/** The result of a run, counted on the chains. */
export interface ChaosReport {
  readonly seed: number;
  readonly shape: string;
  /** The number of payments, each to its own address. */
  readonly orders: number;
  readonly transfers: number;
  /** How often each kind of trouble happened, on each network if it acts on networks. */
  readonly happened: Readonly<Record<string, number>>;
  /** The orders on each network, and those of them that are settled: paid once there and on no other one, or unprovable. */
  readonly networks: Readonly<Record<NetworkName, { readonly orders: number; readonly settled: number }>>;
  /** Pauses of a replica that held a sender's lock. */
  readonly pausesWithLock: number;
  /** Transfers that were seen as stuck for this reason. */
  readonly stuck: Readonly<Record<string, number>>;
  readonly cancelled: number;
  /**
   * Signed more than once: for a higher fee, to cancel, or again after the proof that no earlier attempt can be
   * executed.
   */
  readonly resigned: number;
  readonly paidOnce: number;
  /** Paid once, by another holder of the key with the nonce of the transfer, which the service reports as `paid_elsewhere`. */
  readonly paidElsewhere: number;
  /** Repeated after an authorisation or foreign code used the nonce, which leaves the proof to the app: it read the destination. */
  readonly repeatedByApp: number;
  readonly paidTwice: number;
  /** Paid on a network that is not the one of the order. */
  readonly paidAstray: number;
  /** Completed according to the service, but not on the chain. */
  readonly neverPaid: number;
  /** Not ended although the end could be proven, or failed without permission to repeat. */
  readonly lost: number;
  /** On the chain although the service has no completed or pending transfer for it. */
  readonly paidAgainstTheBooks: number;
  /** Pending for the expected reason, because the end cannot be proven. */
  readonly unprovable: number;
  /** Transfers that the operator could not end, and wallets that could not pay after the operator had ended one. */
  readonly jammed: number;
  readonly nonceGaps: number;
  readonly budgets: BudgetVerdict;
  readonly approvals: ApprovalVerdict;
  /** Everything known about orders that are neither paid once nor unprovable. */
  readonly unsettled: readonly unknown[];
  readonly phases: readonly { readonly phase: string; readonly seconds: number }[];
  readonly seconds: number;
  /** The file that has all that is known about a run that is not green; null if it is. */
  readonly evidence: string | null;
}

/** The kinds of trouble that never happened. A run with one is invalid. */
export function missing({ happened }: ChaosReport): string[] {
  return Object.keys(happened).filter((trouble) => !happened[trouble]);
}

/** Whether the books are correct, and the run is valid. */
export function isGreen(report: ChaosReport): boolean {
  const { networks, paidAstray, nonceGaps, paidAgainstTheBooks, jammed } = report;
  const isSettled = Object.values(networks).every(({ orders, settled }) => orders > 0 && settled === orders);
  const faults = report.budgets.faults.length + report.approvals.faults.length;
  const isKept = paidAstray + nonceGaps + paidAgainstTheBooks + jammed + faults === 0;
  return isSettled && isKept && missing(report).length === 0;
}

/** One line for people. */
export function summary(report: ChaosReport): string {
  const { seed, orders, paidOnce, paidTwice, neverPaid, lost, paidAgainstTheBooks, unprovable, nonceGaps } = report;
  const { shape, transfers, pausesWithLock, resigned, seconds, phases, cancelled, stuck, happened } = report;
  const never = missing(report);
  const { executed, rejected, expired } = report.approvals;
  const { counted, givenBack, refused, changes, faults } = report.budgets;
  return (
    `${isGreen(report) ? 'green' : 'RED'}: seed ${seed} (${shape}), orders ${orders} (${settledOn(report)}), paid once ${paidOnce}, ` +
    `paid elsewhere ${report.paidElsewhere}, unprovable ${unprovable}, ` +
    `paid twice ${paidTwice}, on another network ${report.paidAstray}, completed and never paid ${neverPaid}, lost ${lost}, against the books ${paidAgainstTheBooks}, ` +
    `jammed ${report.jammed}, nonce gaps ${nonceGaps}; transfers ${transfers}, signed again ${resigned}, repeated by the app ${report.repeatedByApp}, ` +
    `pauses with a lock ${pausesWithLock}, cancelled ${cancelled}, stuck ${JSON.stringify(stuck)}, ` +
    `budgets: ${faults.length} faults, counted ${counted}, given back ${givenBack}, refused ${refused}, policies changed ${changes}; ` +
    `approvals: ${report.approvals.faults.length} faults, executed ${executed}, rejected ${rejected}, expired ${expired}, ` +
    `cancelled ${report.approvals.cancelled}; ` +
    `${seconds} s (${phases.map((each) => `${each.phase} ${each.seconds}`).join(', ')})\n` +
    `happened: ${Object.entries(happened)
      .map(([trouble, count]) => `${trouble} ${count}`)
      .join(', ')}` +
    (report.evidence ? `\nevidence: ${report.evidence}` : '') +
    (never.length > 0 ? `\nINVALID: ${never.join(', ')} never happened` : '')
  );
}

function settledOn({ networks }: ChaosReport): string {
  return Object.entries(networks)
    .map(([network, { orders, settled }]) => `${settled} of ${orders} settled on ${network}`)
    .join(', ');
}
