import type { Endpoints } from './endpoints.js';
import { WrongNetwork } from './node-faults.js';

/** An endpoint at one comparison. */
export interface EndpointState {
  /** The height of its newest block; null when it did not respond. */
  readonly height: number | null;
  /** Whether it is on the network, and on the fork of the majority; null when it did not respond. */
  readonly agrees: boolean | null;
}

export interface EndpointQuestions<Node> {
  /** The height of the newest block. Throws `WrongNetwork` on another network than the configured one. */
  readonly height: (node: Node) => Promise<number>;
  /** The hash of the block at this height; null when the node does not have it. */
  readonly hashAt: (node: Node, height: number) => Promise<string | null>;
}

/**
 * Compares the endpoints of a chain at the lowest height of those that respond, which every one of them should have. An endpoint agrees if
 * more than half of the responses equal its own: two that contradict each other both do not agree. Throws after the report when none
 * responds.
 */
export async function compareEndpoints<Node>(
  nodes: Endpoints<Node>,
  { height, hashAt }: EndpointQuestions<Node>,
  report: (states: readonly EndpointState[]) => void,
): Promise<void> {
  const heights = await nodes.each(height);
  const known = heights.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const common = Math.min(...known);
  const hashes = await nodes.each(async (node, index) =>
    known.length > 1 && heights[index]!.status === 'fulfilled' ? hashAt(node, common) : undefined,
  );
  const answers = hashes.flatMap((each) =>
    each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
  );
  const isMajority = (hash: string | null): boolean =>
    2 * answers.filter((each) => each === hash).length > answers.length;
  report(
    heights.map((each, index) => {
      if (each.status === 'rejected')
        return { height: null, agrees: each.reason instanceof WrongNetwork ? false : null };
      const hash = hashes[index]!;
      if (hash.status === 'rejected') return { height: each.value, agrees: null };
      return { height: each.value, agrees: hash.value === undefined || isMajority(hash.value) };
    }),
  );
  if (known.length === 0) throw (heights[0] as PromiseRejectedResult).reason;
}
