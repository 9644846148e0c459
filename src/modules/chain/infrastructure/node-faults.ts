import { FeeTooHigh, FeesAboveQuote, isShortage, PaymentRefusedByChain } from '../../../kernel/chain/chain.errors.js';

/** The message contains no text from the node or its client. */
export class NodeFault extends Error {
  override readonly name: string = 'NodeFault';
}

/** The node is on another network than the configured one, or than the other endpoints. */
export class WrongNetwork extends NodeFault {
  override readonly name: string = 'WrongNetwork';
}

/** The URL was moved to another chain with the same id, or the network began anew. */
export class AnotherChain extends WrongNetwork {
  override readonly name = 'AnotherChain';
}

export class BatchesRefused extends NodeFault {
  override readonly name = 'BatchesRefused';
  constructor() {
    super('The node takes no JSON-RPC batches (several calls in one request), which the service needs.');
  }
}

export class NodeAnswerUnreadable extends NodeFault {
  override readonly name = 'NodeAnswerUnreadable';
  constructor(what: string) {
    super(`The node's answer is not ${what}.`);
  }
}

/** No decision may rest on it. Messages of libraries and nodes are left out: they contain the URL, and with it a password or key. */
export function describeFault(error: unknown): string {
  if (error instanceof NodeFault) return error.message;
  const { name, code, cause, context } = error as ClientError;
  const status = context?.statusCode;
  if (status) return `The node answered with HTTP status ${status}.`;
  if (name === 'TimeoutError') return 'The node did not answer in time.';
  const reason = [code, cause?.code].find(
    (each): each is string => typeof each === 'string' && /^E[A-Z_]+$/.test(each),
  );
  if (reason !== undefined) return `The node cannot be reached: ${reason}.`;
  return 'The node refused the call, or its answer was invalid.';
}

interface ClientError {
  readonly name?: string;
  readonly code?: unknown;
  readonly cause?: { readonly code?: unknown };
  readonly context?: { readonly statusCode?: number };
}

/** Whether the chain's rules or a fee bound refuse the payment, as opposed to a failure of the node. */
export function isRefusal(error: unknown): boolean {
  return (
    [PaymentRefusedByChain, FeesAboveQuote, FeeTooHigh].some((Refusal) => error instanceof Refusal) || isShortage(error)
  );
}
