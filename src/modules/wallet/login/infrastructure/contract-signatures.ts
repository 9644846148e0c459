import { Inject, Injectable } from '@nestjs/common';
import { AbiCoder } from 'ethers/abi';
import { hashMessage } from 'ethers/hash';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { ChainUnavailable } from '../../../../kernel/chain/chain.errors.js';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import type { AppId } from '../../../../kernel/ids.js';
import { Config } from '../../../../services/config/config.js';
import type { Network } from '../../../../services/config/networks.js';
import { HostNames } from '../../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../../services/outbound/operator-endpoint.js';
import { OutboundFailed } from '../../../../services/outbound/outbound.errors.js';
import { EthereumNodeUnavailable } from '../domain/registration.js';

/** The selector of `isValidSignature(bytes32,bytes)`, which is also its result when the signature is valid (EIP-1271). */
const MAGIC = '0x1626ba7e';
/** The whole word is compared, because the precompiled contract "identity" returns its input, which begins with the same bytes. */
const VALID = `${MAGIC}${'00'.repeat(28)}`;

/** Codes by which nodes say that the contract refused, ran out of gas or is broken; the rest say it in words. */
const CALL_FAILED = [3, -32_015];
const CALL_FAILED_WORDS =
  /revert|halt|out of (?:gas|bounds)|gas uint64 overflow|intrinsic gas|invalid (?:op ?code|jump|code)|stack|\bE?VM\b|write protection|insufficient balance|call depth|precompile/i;

/** Checking a passkey or the keys of many owners takes a tenth of it. */
const MOST_GAS = 3_000_000;

const PATIENCE_MS = 3_000;
const MAX_ANSWER_BYTES = 65_536;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

@Injectable()
export class ContractSignatures {
  private readonly endpoints: ReadonlyMap<ChainName, readonly OperatorEndpoint[]>;

  constructor(
    @Inject(Config) { networks }: { readonly networks: readonly Pick<Network, 'name' | 'kind' | 'rpc'>[] },
    private readonly nodeCalls: NodeCalls,
    names?: HostNames,
  ) {
    const evm = networks.filter(({ kind, rpc }) => kind !== 'solana' && rpc.length > 0);
    this.endpoints = new Map(evm.map(({ name, rpc }) => [name, rpc.map((url) => new OperatorEndpoint(url, names))]));
  }

  /** Without a node of the network, contracts have no signatures there. */
  canBeAsked(network: ChainName): boolean {
    return this.endpoints.has(network);
  }

  /** False where there is no contract, or where it halts. Time, gas and size are bounded, because the contract is the caller's. */
  async isValid(
    appId: AppId,
    network: ChainName,
    { address, message, signature }: { readonly address: string; readonly message: string; readonly signature: string },
  ): Promise<boolean> {
    const call = AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], [hashMessage(message), signature]);
    const transaction = { to: address, data: MAGIC + call.slice(2), gas: `0x${MOST_GAS.toString(16)}` };
    const endpoints = this.endpoints.get(network)!;
    const asked = this.nodeCalls.runForLogin(network, appId, () => ask(endpoints, 'eth_call', [transaction, 'latest']));
    const { result } = await asked.catch((cause: unknown) => {
      throw cause instanceof ChainUnavailable ? new EthereumNodeUnavailable({ cause }) : cause;
    });
    return result === VALID;
  }
}

/** The response of the first endpoint that does not fail. All of them together have `PATIENCE_MS`. */
async function ask(endpoints: readonly OperatorEndpoint[], method: string, params: unknown[]): Promise<Answer> {
  for (const [index, endpoint] of endpoints.entries()) {
    try {
      return await askAt(endpoint, PATIENCE_MS / endpoints.length, method, params);
    } catch (error) {
      if (index === endpoints.length - 1) throw error;
    }
  }
  throw new EthereumNodeUnavailable();
}

async function askAt(endpoint: OperatorEndpoint, ms: number, method: string, params: unknown[]): Promise<Answer> {
  try {
    const { status, body } = await endpoint.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
      signal: AbortSignal.timeout(ms),
      maxBytes: MAX_ANSWER_BYTES,
    });
    if (status < 200 || status > 299) throw new Error(`The node answered ${status}.`);
    const answer: unknown = JSON.parse(body.toString('utf8'));
    if (typeof answer !== 'object' || answer === null) throw new Error('The node answered no JSON-RPC.');
    const { error } = answer as Answer;
    if (error && !hasHalted(error)) throw new Error('The node refused the call.', { cause: error });
    return answer;
  } catch (cause) {
    if (cause instanceof OutboundFailed && cause.reason === 'too_large') return {};
    throw new EthereumNodeUnavailable({ cause });
  }
}

/** Whether the contract failed. A node that is behind or overloaded reports its own fault in the same form. */
function hasHalted({ code, message }: NonNullable<Answer['error']>): boolean {
  return CALL_FAILED.includes(Number(code)) || CALL_FAILED_WORDS.test(String(message));
}
