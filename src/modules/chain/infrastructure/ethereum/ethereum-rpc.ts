import {
  type FetchGetUrlFunc,
  FetchRequest,
  type JsonRpcError,
  type JsonRpcPayload,
  JsonRpcProvider,
  type JsonRpcResult,
  Network,
} from 'ethers';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../../services/outbound/operator-endpoint.js';
import { NodeAnswerUnreadable, NodeFault } from '../node-faults.js';
import { CallFailed, CallRefused } from './call-failed.js';
import { quantityOf } from './ethereum-answers.js';

export interface EthereumNodeSettings {
  readonly url: string;
  readonly chainId: number;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs?: number;
}

/** Codes by which some nodes report a failed call; the rest report it in the message, under a general code. */
const FAILED_CODES = [3, -32_015];
const FAILED_WORDS =
  /revert|insufficient funds|exceeds allowance|out of gas|invalid (?:op ?code|jump)|stack (?:under|over)flow|\bE?VM\b.*\berror|always fail/i;

/** JSON-RPC calls to one Ethereum node, none of which is sent before the node is known to be on the configured chain. */
export class EthereumRpc {
  private readonly provider: Provider;
  private checkedNetwork: Promise<void> | null = null;

  constructor(
    private readonly settings: EthereumNodeSettings,
    names?: HostNames,
  ) {
    const request = new FetchRequest(settings.url);
    request.getUrlFunc = transportTo(new OperatorEndpoint(settings.url, names));
    request.timeout = settings.timeoutMs ?? 10_000;
    // One try: a repetition within the call would make its time unbounded.
    request.setThrottleParams({ maxAttempts: 1 });
    const network = Network.from(settings.chainId);
    this.provider = new Provider(request, network, { staticNetwork: network });
  }

  /** Resolves once the node is known to be on the configured chain. */
  assertNetwork(): Promise<void> {
    this.checkedNetwork ??= this.checkNetwork().catch((error: unknown) => {
      this.checkedNetwork = null;
      throw error;
    });
    return this.checkedNetwork;
  }

  private async checkNetwork(): Promise<void> {
    this.assertConfigured(await this.provider.sendAlone('eth_chainId', []));
  }

  /** Throws `NodeFault` unless this answer to `eth_chainId` is the configured chain. */
  assertConfigured(answer: unknown): void {
    const chainId = quantityOf(answer);
    if (chainId !== BigInt(this.settings.chainId)) {
      throw new NodeFault(`The node is on chain ${chainId}; the service is configured for ${this.settings.chainId}.`);
    }
  }

  async call(method: string, params: unknown[]): Promise<unknown> {
    await this.assertNetwork();
    return this.provider.sendAlone(method, params);
  }

  /** The results of several calls sent as one request: behind a load balancer they come from one machine too. */
  async callTogether(calls: readonly Call[]): Promise<unknown[]> {
    await this.assertNetwork();
    return this.provider.sendTogether(calls);
  }
}

/** Replaces ethers' HTTP client, which resolves names in libuv's threads and leaves connections open after a timeout. */
function transportTo(endpoint: OperatorEndpoint): FetchGetUrlFunc {
  return async ({ body, timeout }) => {
    const answer = await endpoint.post(body ?? '', { signal: AbortSignal.timeout(timeout) });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return {
      statusCode: answer.status,
      statusMessage: answer.statusText,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: answer.body,
    };
  };
}

type Call = readonly [method: string, params: readonly unknown[]];

/** Throws for bytes that are not UTF-8. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Provider extends JsonRpcProvider {
  private lastId = 0;

  /** At once: ethers' `send` waits for a timer, even without batches. Throws unless there is a result. */
  async sendAlone(method: string, params: readonly unknown[]): Promise<unknown> {
    const payload: JsonRpcPayload = { jsonrpc: '2.0', id: ++this.lastId, method, params: [...params] };
    return this.resultOf(payload, await this._send(payload));
  }

  /** Throws unless each call has a result. */
  async sendTogether(calls: readonly Call[]): Promise<unknown[]> {
    const payloads = calls.map(([method, params], id): JsonRpcPayload => ({
      jsonrpc: '2.0',
      id,
      method,
      params: [...params],
    }));
    const answers = await this._send(payloads);
    return payloads.map((payload) => this.resultOf(payload, answers));
  }

  private resultOf(payload: JsonRpcPayload, answers: readonly (JsonRpcResult | JsonRpcError)[]): unknown {
    const [answer, ...duplicates] = answers.filter(({ id }) => id === payload.id);
    if (answer && 'error' in answer) throw this.getRpcError(payload, answer);
    if (answer?.result === undefined || duplicates.length > 0) throw new NodeAnswerUnreadable('an answer to each call');
    return answer.result;
  }

  /** As ethers' own, which makes a string of each character: for a block that takes as long as the rest of the call. */
  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    const request = this._getConnection();
    request.body = JSON.stringify(payload);
    request.setHeader('content-type', 'application/json');
    const response = await request.send();
    response.assertOk();
    return [jsonIn(response.body)].flat() as JsonRpcResult[];
  }

  /**
   * ethers guesses the cause from the wording. Here only known codes and words mean that a call failed: an overloaded or
   * rate-limited node uses the same form, and must not end a transfer.
   */
  override getRpcError(_payload: JsonRpcPayload, { error }: JsonRpcError): Error {
    const words = typeof error?.message === 'string' ? error.message.slice(0, 200) : 'no reason given';
    const hasFailed = FAILED_CODES.includes(error?.code) || FAILED_WORDS.test(words);
    return hasFailed ? new CallFailed(words) : new CallRefused(words);
  }
}

/** The error of the parser would contain a part of the answer. */
function jsonIn(body: Uint8Array | null): unknown {
  try {
    return JSON.parse(UTF8.decode(body ?? undefined));
  } catch {
    throw new NodeAnswerUnreadable('JSON');
  }
}
