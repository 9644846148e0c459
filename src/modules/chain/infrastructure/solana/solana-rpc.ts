import {
  createSolanaRpcFromTransport,
  isSolanaError,
  type RpcTransport,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
} from '@solana/kit';
import { parseJsonWithBigInts, stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import type { StuckReason } from '../../../../kernel/chain/payment.js';
import { NodeFault } from '../node-faults.js';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../../services/outbound/operator-endpoint.js';

/** A proof is incomplete although the node responded. */
export abstract class ProofFault extends NodeFault {
  abstract readonly stuckReason: StuckReason;
}

export class HistoryMissing extends ProofFault {
  override readonly name = 'HistoryMissing';
  readonly stuckReason = 'node_lacks_history';
  constructor() {
    super('The node lacks a block that may include the transaction.');
  }
}

export class NodesDisagree extends ProofFault {
  override readonly name = 'NodesDisagree';
  readonly stuckReason = 'nodes_disagree';
  constructor() {
    super('The answers about a transaction contradict each other.');
  }
}

const NO_BLOCK = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
] as const;

export function solanaRpcTo(url: string, names?: HostNames) {
  return createSolanaRpcFromTransport(transportTo(new OperatorEndpoint(url, names)));
}

/** kit's transport resolves names in libuv's threads. Integers are bigints, and HTTP errors the same as kit's. */
function transportTo(endpoint: OperatorEndpoint): RpcTransport {
  return async <T>({ payload, signal }: Parameters<RpcTransport>[0]): Promise<T> => {
    const { status, statusText, headers, body } = await endpoint.post(stringifyJsonWithBigInts(payload), { signal });
    if (status < 200 || status > 299) {
      throw new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, {
        headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        message: statusText,
        statusCode: status,
      });
    }
    return parseJsonWithBigInts(body.toString('utf8')) as T;
  };
}

export async function orHistoryMissing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (NO_BLOCK.some((code) => isSolanaError(error, code))) throw new HistoryMissing();
    throw error;
  }
}
