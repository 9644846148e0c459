import { type Address, isAddress, isOffCurveAddress } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { HostNames } from '../../../services/outbound/host-names.js';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { Nonces } from '../../../kernel/chain/chain.js';
import type { Cancellation, Payment, PreparedPayment, Signable, SignedAttempt } from '../../../kernel/chain/payment.js';
import type { PaymentStatus, ProofProgress } from '../../../kernel/chain/payment-status.js';
import { InvalidAddress } from '../../../kernel/chain/chain.errors.js';
import { isRefusal, NodeChain, NodeFault, type NodeWatch, wordsOf } from './chain-node.js';
import { agreed, type Answers, Endpoints } from './endpoints.js';
import { type AskEvery, proveExpiry, proveFinal } from './proofs/solana-proofs.js';
import { ProofFault, type SignatureStatus, SolanaNode, type SolanaNodeSettings } from './solana-node.js';
import { preparePayment, tokenAccountOf, tokenOf } from './solana-payment.js';
import { movesToken } from './solana-transaction.js';

export interface SolanaChainSettings extends Omit<SolanaNodeSettings, 'url'> {
  /** Of one cluster, asked in this order; they share the time limit. */
  readonly urls: readonly string[];
  /** The most one payment may take in fees, besides the rent of an account it makes. */
  readonly maxFeeLamports: bigint;
}

/** Native programs, sysvars and the incinerator end in a row of ones, as a public key does once in 10^19. */
const NATIVE = /1{11}.?$/;
const PROGRAMS: readonly string[] = [
  TOKEN_PROGRAM_ADDRESS,
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];

/** Solana: system accounts and the tokens of the token program. */
export class SolanaChain extends NodeChain {
  readonly name = 'solana';
  private readonly nodes: Endpoints<SolanaNode>;
  /** Of the endpoints that have answered so far: more than one is a fault of the configuration. */
  private readonly clusters = new Set<string>();
  private readonly maxFeeLamports: bigint;

  constructor(
    { urls, timeoutMs = 10_000, maxFeeLamports, ...settings }: SolanaChainSettings,
    watch?: NodeWatch,
    names?: HostNames,
  ) {
    super('Solana', watch);
    this.maxFeeLamports = maxFeeLamports;
    this.nodes = new Endpoints(
      urls.map((url) => new SolanaNode({ ...settings, url, timeoutMs: Math.floor(timeoutMs / urls.length) }, names)),
      isRefusal,
      (error, endpoint) => watch?.endpointFailed(error, endpoint),
    );
  }

  address(text: string, field?: string): string {
    // Off the curve there is no key: what is sent there only a program could give back.
    if (!isAddress(text) || (isOffCurveAddress(text) && !this.isReserved(text))) {
      throw new InvalidAddress('The address must be base58 of 32 bytes that are a public key of Ed25519.', field);
    }
    return text;
  }

  tokenAddress(text: string, field?: string): string {
    if (!isAddress(text)) throw new InvalidAddress('The mint must be base58 of 32 bytes.', field);
    return text;
  }

  isReserved(address: string): boolean {
    return NATIVE.test(address) || PROGRAMS.includes(address);
  }

  network(): Promise<string> {
    return this.answered(this.nodes.read((node) => this.clusterOf(node)));
  }

  async balance(address: string, asset: Asset): Promise<bigint> {
    return this.answered(
      this.nodes.read(async (node) => {
        const holder = asset.token === null ? (address as Address) : await tokenAccountOf(address, asset.token);
        const [account = null] = (await node.accounts([holder])).of;
        return (asset.token === null ? account?.lamports : tokenOf(account)?.amount) ?? 0n;
      }),
    );
  }

  nonces(): Promise<Nonces | null> {
    return Promise.resolve(null);
  }

  prepare(payment: Payment, feeCap?: bigint, earlier: readonly SignedAttempt[] = []): Promise<PreparedPayment> {
    const bounds = { ceiling: this.maxFeeLamports, feeCap, earlier };
    return this.answered(
      this.nodes.read(async (node) => {
        await this.clusterOf(node);
        return preparePayment(node, payment, bounds);
      }),
    );
  }

  prepareReplacement(): Promise<Signable | null> {
    return Promise.resolve(null);
  }

  prepareCancellation(): Promise<Cancellation | null> {
    return Promise.resolve(null);
  }

  /** Throws once endpoints have named several clusters: what was quoted on one must not be signed for another. */
  private async clusterOf(node: SolanaNode): Promise<string> {
    const network = await node.network();
    this.clusters.add(network);
    if (this.clusters.size > 1) throw new NodeFault('The endpoints are on different clusters.');
    return network;
  }

  protected hand(raw: Uint8Array): Promise<string> {
    return this.nodes.toAll((node) => node.send(raw));
  }

  protected async standing(
    _source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const [first] = attempts;
    if (!first) return { is: 'unknown', reason: 'There is no attempt.' };
    const { network } = first;
    if (attempts.some((attempt) => attempt.network !== network)) {
      return { is: 'unknown', reason: 'The attempts were signed for several clusters.' };
    }
    const onNetwork =
      <T>(ask: (node: SolanaNode) => Promise<T>) =>
      async (node: SolanaNode): Promise<T> => {
        if ((await node.network()) !== network) throw new NodeFault(`The node is not on ${network}.`);
        return ask(node);
      };
    const askEvery: AskEvery = (ask) => this.nodes.every(onNetwork(ask));
    // The order is part of the proof: the statuses are asked for after the final block is known.
    const look = onNetwork(async (node) => {
      const final = await node.finalized();
      const statuses = await node.statuses(attempts.map(({ hash }) => hash));
      return { final, statuses };
    });
    const hint = await this.nodes.search(
      look,
      ({ statuses }) => statuses.of.some(isAlive) || !statuses.of.includes(null),
    );
    // A search leaves out endpoints that are slow, and one of these may be the only one that has a status.
    const mayHaveExpired = hint.configured > 1 && isPast(hint, attempts);
    const seen = mayHaveExpired ? await this.nodes.every(look) : hint;
    const known = attempts.flatMap((attempt, index) => {
      const status = statusIn(seen, index);
      return status ? [{ attempt, status }] : [];
    });
    const settled = ({ attempt, status }: (typeof known)[number]) =>
      this.nodes.read(onNetwork((node) => standingOf(node, attempt, status))).catch(unprovenBy);
    const alive = known.filter(({ status }) => isAlive(status));
    const [paid = alive.at(-1)] = alive.filter(({ status }) => status.level === 'finalized');
    if (paid) return settled(paid);
    const unseen = attempts.filter((attempt) => !known.some((other) => other.attempt === attempt));
    if (unseen.length === 0) return lastOf(await Promise.all(known.map(settled)));
    if (!isPast(seen, attempts)) {
      return { is: 'not_seen', ...(!agreed(seen, () => true) && { stuckReason: 'nodes_disagree' }) };
    }
    const { isProven, fault, ...change } = await proveExpiry(askEvery, unseen, progress);
    if (isProven) return known.length > 0 ? lastOf(await Promise.all(known.map(settled))) : { is: 'dead', ...change };
    return fault ? { ...unprovenBy(fault), ...change } : { is: 'not_seen', ...change };
  }
}

interface Seen {
  readonly final: { readonly slot: bigint; readonly blockHeight: bigint };
  readonly statuses: { readonly slot: bigint; readonly of: readonly SignatureStatus[] };
}

/** Whether the endpoints agree that the attempts of which none has a status may no longer be carried out. */
function isPast(seen: Answers<Seen>, attempts: readonly SignedAttempt[]): boolean {
  const unseen = attempts.filter((_, index) => statusIn(seen, index) === null);
  return agreed(seen, ({ final, statuses }) => {
    if (statuses.slot < final.slot) throw new NodeFault('The statuses are older than the final block.');
    return unseen.every(({ lastValidBlockHeight: last }) => last !== null && final.blockHeight > last);
  });
}

/** What the endpoints say of one attempt: the status that is closest to final. */
function statusIn({ of }: Answers<Seen>, index: number): SignatureStatus {
  return furthest(of.map(({ statuses }) => statuses.of[index] ?? null));
}

/** The standing of attempts that all have failed: the last one's, once each is proven. */
function lastOf(standings: readonly PaymentStatus[]): PaymentStatus {
  return standings.find(({ is }) => is !== 'final') ?? standings.at(-1)!;
}

/** Whether the payment was made by this transaction, or may yet be. */
function isAlive(status: SignatureStatus): boolean {
  return status !== null && !(status.level === 'finalized' && status.failed);
}

/** What is known of a transaction that several endpoints were asked about: the status that is closest to final. */
function furthest(statuses: readonly SignatureStatus[]): SignatureStatus {
  const levels = ['processed', 'confirmed', 'finalized'];
  return statuses.reduce((best, status) => {
    if (!best || !status) return best ?? status;
    return levels.indexOf(status.level) > levels.indexOf(best.level) ? status : best;
  }, null);
}

/** What stays pending because the proof is not complete. Throws what is no such fault. */
function unprovenBy(fault: unknown): Extract<PaymentStatus, { is: 'unknown' }> {
  if (!(fault instanceof ProofFault)) throw fault;
  return { is: 'unknown', reason: wordsOf(fault), stuckReason: fault.stuckReason };
}

async function standingOf(
  node: SolanaNode,
  { hash, raw }: SignedAttempt,
  status: NonNullable<SignatureStatus>,
): Promise<PaymentStatus> {
  const { slot, level, failed } = status;
  const block = { number: Number(slot), hash: null };
  if (level === 'processed') return { is: 'submitted', hash };
  if (level === 'confirmed') return { is: 'mined', hash, block };
  const final = await proveFinal(node, hash, status);
  // Accounts it made are paid by the source too, and belong to the fees.
  const { before, after } = final.transaction.payer;
  const fee = !failed && movesToken(raw) ? before - after : final.transaction.fee;
  return {
    is: 'final',
    hash,
    block: { ...block, hash: final.block.blockhash },
    outcome: failed ? 'reverted' : 'success',
    fee,
  };
}
