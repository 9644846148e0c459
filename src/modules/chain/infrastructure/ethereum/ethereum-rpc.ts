import { AnotherChain, BatchesRefused, NodeFault, NodeAnswerUnreadable, WrongNetwork } from '../node-faults.js';
import type { StoredNetworks } from '../typeorm-known-networks.js';
import { isAt, type Place } from './block-links.js';
import { caip2Of } from '../../../../services/config/networks.js';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../../services/outbound/operator-endpoint.js';
import { MinuteCheck } from '../minute-check.js';
import { CallFailed, CallRefused } from './call-failed.js';
import { blockAt, placeOf, quantityOf } from './ethereum-answers.js';

type ReadPlace = (number: number | 'finalized') => Promise<Place | null>;

/** Chain ids repeat, so the first block is compared too; nodes that lack it are known by a final block of the first use. */
export class ChainIdentity {
  /** Null while the network has not been used. */
  private known: Place | null = null;

  constructor(
    private readonly chainId: number,
    private readonly networks: StoredNetworks,
  ) {}

  async number(): Promise<number> {
    this.known ??= await this.networks.find(caip2Of(this.chainId));
    return this.known?.number ?? 0;
  }

  /** Reads nothing again: the URL may lead to its own chain again, but the other results of the response are from another. */
  assertSeen(seen: Place | null): void {
    if (!seen) throw new NodeFault('The node lacks the block by which its chain is known.');
    if (!this.known || !isAt(seen, this.known)) throw this.another(seen);
  }

  /** Throws `AnotherChain` unless `seen`, or the block that `read` returns, is the known one. The first use stores it. */
  async assertIs(seen: Place | null, read: ReadPlace): Promise<void> {
    const network = caip2Of(this.chainId);
    if (this.known === null) {
      const first = seen ?? (await read('finalized'));
      if (!first) throw new NodeFault('The node has neither the first block of its chain nor a final one.');
      this.known = await this.networks.remember(network, first);
    }
    if (seen !== null && isAt(seen, this.known)) return;
    // The operator may have made the service forget the earlier chain.
    this.known = await this.networks.find(network);
    if (this.known === null) return this.assertIs(await read(0), read);
    const again = await read(this.known.number);
    if (!again || !isAt(again, this.known)) throw this.another(again);
  }

  private another(found: Place | null): AnotherChain {
    const network = caip2Of(this.chainId);
    const known = this.known && `block ${this.known.number} of ${network} is ${this.known.hash}, and `;
    const instead = found === null ? 'it has no block with that number' : `it has ${found.hash}`;
    return new AnotherChain(
      `The node is on another chain with the id ${this.chainId}: ${known ?? ''}${instead}. ` +
        `If the network was begun anew, run the command \`networks begin-anew --network ${network} --reason <text>\`.`,
    );
  }
}

export interface EthereumNodeSettings {
  readonly url: string;
  readonly chainId: number;
  readonly timeoutMs: number;
  /** The endpoints of the network share it. */
  readonly identity: ChainIdentity;
}

/** The rest of the nodes report a failed call in the message, under a general code. */
const FAILED_CODES = [3, -32_015];
const FAILED_WORDS =
  /revert|insufficient funds|exceeds allowance|out of gas|invalid (?:op ?code|jump)|stack (?:under|over)flow|\bE?VM\b.*\berror|always fail/i;

/** The codes for a method that a node lacks (JSON-RPC 2.0, EIP-1474). */
const METHOD_LACKING_CODES = [-32_601, -32_004];

/** By these a node refuses a call that it would carry out at another time. */
const LIMITED_CODES = [-32_005, 429];
const LIMITED_WORDS = /rate.?limit|too many requests|request (?:count|limit)|throttl|overload/i;

type Call = readonly [method: string, params: readonly unknown[]];
const CHAIN_ID: Call = ['eth_chainId', []];

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

/** ethers' provider is not used: it follows redirects past the bounds of `OperatorEndpoint` and delays calls by a timer. */
export class EthereumRpc {
  private readonly endpoint: OperatorEndpoint;
  private readonly network = new MinuteCheck(() => this.checkNetwork());
  private lastId = 0;

  constructor(
    private readonly settings: EthereumNodeSettings,
    names?: HostNames,
  ) {
    this.endpoint = new OperatorEndpoint(settings.url, names);
  }

  /** The response is at most a minute old. */
  assertNetwork(): Promise<void> {
    return this.network.run();
  }

  private async checkNetwork(): Promise<void> {
    const first = blockAt(await this.settings.identity.number());
    const [[chainId], [block]] = await Promise.all([this.send([CHAIN_ID]), this.send([first])]);
    this.assertConfigured(chainId);
    const read: ReadPlace = async (at) => placeOf((await this.send([blockAt(at)]))[0]);
    await this.settings.identity.assertIs(placeOf(block), read);
  }

  /** `assertStillThere` compares their results, in a batch with other calls. */
  async identityCalls(): Promise<readonly [Call, Call]> {
    await this.assertNetwork();
    return [CHAIN_ID, blockAt(await this.settings.identity.number())];
  }

  /** Throws when the endpoint was at another chain. Then no call is sent before it is compared again. */
  assertStillThere(chainId: unknown, block: unknown): void {
    try {
      this.assertConfigured(chainId);
      this.settings.identity.assertSeen(placeOf(block));
    } catch (error) {
      this.network.forget();
      throw error;
    }
  }

  assertConfigured(answer: unknown): void {
    const chainId = quantityOf(answer);
    if (chainId !== BigInt(this.settings.chainId)) {
      throw new WrongNetwork(
        `The node is on chain ${chainId}; the service is configured for ${this.settings.chainId}.`,
      );
    }
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [result] = await this.callTogether([[method, params]]);
    return result;
  }

  /** Sends one request: behind a load balancer the results come from one machine too. */
  async callTogether(calls: readonly Call[]): Promise<unknown[]> {
    await this.assertNetwork();
    return this.send(calls);
  }

  /** Sends once: a repetition within the call would make its time unbounded. */
  private async send(calls: readonly Call[]): Promise<unknown[]> {
    const requests = calls.map(([method, params]) => ({ jsonrpc: '2.0', id: ++this.lastId, method, params }));
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    const { status, body } = await this.endpoint.post(JSON.stringify(requests.length > 1 ? requests : requests[0]), {
      signal,
    });
    const isBatch = requests.length > 1;
    if (status < 200 || status > 299) throw failureOf(status, body, isBatch);
    const answer = jsonIn(body) as Answer | null | (Answer | null)[];
    if (isBatch && !Array.isArray(answer)) throw batchRefusal(answer);
    const answers = [answer].flat();
    // Some gateways refuse a call without having read its id.
    const isOf = (id: number) => (answer: Answer | null) =>
      answer?.id === id || (!isBatch && answer?.id === null && Boolean(answer.error));
    return requests.map(({ id }) => resultOf(answers.filter(isOf(id))));
  }
}

/** Gateways answer by these what they do not understand. Other statuses are about the caller or the moment. */
const NOT_UNDERSTOOD = [400, 405, 413, 415, 422, 501];

function failureOf(status: number, body: Uint8Array, isBatch: boolean): Error {
  const { error } = errorIn(body);
  // Some gateways refuse a method that they lack by a status too.
  if (!isBatch && error && METHOD_LACKING_CODES.some((code) => code === error.code)) return refusalOf(error);
  if (isBatch && NOT_UNDERSTOOD.includes(status)) return batchRefusal({ error });
  return new NodeFault(`The node answered with HTTP status ${status}.`);
}

function errorIn(body: Uint8Array): Pick<Answer, 'error'> {
  try {
    return (JSON.parse(UTF8.decode(body)) as Answer | null) ?? {};
  } catch {
    return {};
  }
}

/** Single calls were made before, so the node refuses only several of them together, unless it limits their rate. */
function batchRefusal(answer: Pick<Answer, 'error'> | null): Error {
  const refusal = answer?.error ? refusalOf(answer.error) : null;
  return refusal instanceof NodeFault ? refusal : new BatchesRefused();
}

/** The error of the parser would contain a part of the response. */
function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    throw new NodeAnswerUnreadable('JSON');
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Responses that contradict each other are no refusal. */
function resultOf([answer, ...duplicates]: readonly (Answer | null)[]): unknown {
  const { error = null, result } = answer ?? {};
  const hasResult = result !== undefined && (error === null || result !== null);
  if (duplicates.length > 0 || hasResult === (error !== null)) throw new NodeAnswerUnreadable('an answer to each call');
  if (error !== null) throw refusalOf(error);
  return result;
}

/** Only known codes and words mean a failed call: an overloaded or rate-limited node uses the same form, and must not end a transfer. */
function refusalOf({ code, message }: NonNullable<Answer['error']>): Error {
  const words = typeof message === 'string' ? message.slice(0, 200) : 'no reason given';
  const hasFailed = FAILED_CODES.some((failed) => failed === code) || FAILED_WORDS.test(words);
  if (hasFailed) return new CallFailed(words);
  const isLimited = LIMITED_CODES.some((limited) => limited === code) || LIMITED_WORDS.test(words);
  return isLimited ? new NodeFault('The node limits the rate of calls.') : new CallRefused(words);
}
