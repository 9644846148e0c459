import type { StuckReason } from '../../../../kernel/chain/payment.js';
import { NodeFault } from '../node-faults.js';

/** A proof is incomplete although the node responded. */
export abstract class ProofFault extends NodeFault {
  abstract readonly stuckReason: StuckReason;
}

/** The node does not have a block that a proof needs. */
export class HistoryMissing extends ProofFault {
  override readonly name = 'HistoryMissing';
  readonly stuckReason = 'node_lacks_history';
  constructor() {
    super('The node lacks a block that may include the transaction.');
  }
}

/** The responses contradict each other. */
export class NodesDisagree extends ProofFault {
  override readonly name = 'NodesDisagree';
  readonly stuckReason = 'nodes_disagree';
  constructor() {
    super('The answers about a transaction contradict each other.');
  }
}
