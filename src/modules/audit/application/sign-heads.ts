import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { Log } from '../../../kernel/log.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AuditChain, AuditHeads, type NewCheckpoint, SigningAlarm } from '../domain/audit-heads.js';
import { BrokenLink, type ChainCheck } from '../domain/chain-check.js';
import { NO_LINK } from '../domain/chain-link.js';
import { messageOfCheckpoint, type Signature, DueCuts, messageOfCut } from '../domain/checkpoint.js';
import { lineOf, sha256 } from '../domain/encoding.js';
import {
  type ChainEnd,
  hashOfHead,
  headOf,
  type KnownHead,
  lineOfHead,
  messageOfHead,
  type ServiceHead,
} from '../domain/service-head.js';
import { AuditKeys } from './audit-keys.js';
import { CheckChain } from './check-chain.js';
import { ServiceHeads } from './service-heads.js';
import { HEAD } from './verify-chains.js';

const LONGEST_WAIT_MS = 5_000;
const PAUSE_MS = 50;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Signs only ends of chains that it has verified itself, and nothing while the last head is other than the remembered one. A chain that
 * does not hold keeps the end that was signed last. The first run of a process, and one run a day, verifies every chain from its beginning;
 * the other runs go on from the last end.
 */
@Injectable()
export class SignHeads {
  private remembered: ServiceHead | null = null;
  private verifiedAt = 0;
  private running: Promise<void> = Promise.resolve();
  /** Chains that did not hold. They are verified from their beginning until they hold again. */
  private readonly broken = new Set<string>();

  constructor(
    private readonly heads: ServiceHeads,
    private readonly stored: AuditHeads,
    private readonly chain: AuditChain,
    private readonly checkChain: CheckChain,
    private readonly keys: AuditKeys,
    private readonly transactions: Transactions,
    private readonly alarm: SigningAlarm,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Signs the first head of a new database. It must exist before the first app: later a missing head is a fault. */
  async begin(): Promise<void> {
    if (await this.heads.isNew()) await this.execute();
  }

  /** One run at a time: each goes on from the head that the one before has signed. */
  execute(): Promise<void> {
    this.running = this.running.then(
      () => this.run(),
      () => this.run(),
    );
    return this.running;
  }

  /** Chains the entries that wait, and signs. An entry that cannot be chained delays the signature by seconds only. */
  async signNow(): Promise<void> {
    const until = this.clock.now().getTime() + LONGEST_WAIT_MS;
    while ((await this.chain.hasWaiting()) && this.clock.now().getTime() < until) {
      let after = '';
      do {
        const batch = await this.chain.advance(after);
        after = batch.hasMore ? batch.after : '';
      } while (after !== '');
      // The sequencer of another process has the chain, or one is damaged.
      if (await this.chain.hasWaiting()) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await this.execute();
  }

  private async run(): Promise<void> {
    const now = this.clock.now();
    const isWhole = this.remembered === null || now.getTime() - this.verifiedAt >= DAY_MS;
    const known = await this.attempt(HEAD, () => this.lastHead(isWhole));
    if (known === undefined) return;
    const checkpoints = await this.checkpoints(known, isWhole, now);
    if (checkpoints === undefined) return;
    if (isWhole) this.verifiedAt = now.getTime();
    this.remembered = known;
    if (known && checkpoints.length === 0 && now.getTime() - known.at.getTime() < HOUR_MS) return;
    await this.sign(known, checkpoints, now);
  }

  private async lastHead(isWhole: boolean): Promise<KnownHead | null> {
    const isSigned = await this.keys.isSigned();
    if (isWhole) await this.heads.follow(null, isSigned);
    if (this.remembered) await this.heads.follow(this.remembered, isSigned);
    const last = await this.heads.last(isSigned);
    await this.heads.followNewest(isSigned);
    return last;
  }

  /** Undefined when another process has signed a head meanwhile. */
  private async checkpoints(
    known: KnownHead | null,
    isWhole: boolean,
    now: Date,
  ): Promise<NewCheckpoint[] | undefined> {
    const [isSigned, sign] = [await this.keys.isSigned(), await this.keys.signer()];
    const checkpoints: NewCheckpoint[] = [];
    const chains = known && !isWhole ? this.checkChain.changed(known, this.broken) : this.checkChain.chains(known);
    for await (const appId of chains) {
      const isFromBeginning = isWhole || this.broken.has(appId);
      const end = known?.ends.get(appId) ?? null;
      const check = this.checkChain.begin(appId, isSigned, known);
      const dueCuts = new DueCuts((now.getTime() - this.stored.refusalsKeptDays * DAY_MS) * 1_000, end?.number ?? 0);
      const how = isFromBeginning ? { dueCuts } : { resumeAt: end };
      const holds = await this.attempt(appId, async () => {
        this.broken.add(appId);
        await this.checkChain.execute(appId, check, end, { ...how, isToBeSigned: true });
        return this.broken.delete(appId);
      });
      if (check.newestHead > (known?.seq ?? 0)) {
        await this.attempt(HEAD, () => this.heads.requireStored(check.newestHead));
        return undefined;
      }
      if (!holds) continue;
      for (const { before, ...range } of dueCuts.due) {
        const cut = { ...range, at: now };
        await this.stored.storeCut(appId, { ...cut, ...sign(messageOfCut(appId, before, cut)) });
      }
      const isNew = end ? check.number > end.number : check.number > 0 || check.seq! > 0;
      if (isNew) checkpoints.push(checkpointOf(appId, check, (known?.seq ?? 0) + 1, now, sign));
    }
    return checkpoints;
  }

  private async sign(known: KnownHead | null, checkpoints: readonly NewCheckpoint[], now: Date): Promise<void> {
    const sign = await this.keys.signer();
    const ends = new Map<string, ChainEnd>(known?.ends);
    for (const checkpoint of checkpoints) {
      const { appId, seq, number, hash } = checkpoint;
      ends.set(appId, { seq, number, hash, checkpoint: sha256(messageOfCheckpoint(appId, checkpoint)) });
    }
    const state = headOf(ends, (known?.seq ?? 0) + 1, known ? hashOfHead(known) : NO_LINK, now);
    const head = { ...state, ...sign(messageOfHead(state)) };
    // Another process may have signed this head. Its end then holds, and the next run goes on from it.
    if (!(await this.transactions.run(() => this.stored.store({ ...head, ends }, checkpoints)))) return;
    this.remembered = head;
    for (const checkpoint of checkpoints)
      this.log.info({ audit_checkpoint: lineOf({ ...checkpoint, kind: undefined }) }, 'audit checkpoint');
    this.log.info({ audit_head: lineOfHead(head) }, 'audit head');
  }

  private async attempt<T>(appId: string, check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
      this.alarm.raise(appId, error);
      return undefined;
    }
  }
}

function checkpointOf(
  appId: string,
  { seq, number, hash, checkpointHash }: ChainCheck,
  head: number,
  at: Date,
  sign: (message: Uint8Array) => Signature,
): NewCheckpoint {
  const state = { seq: seq! + 1, head, kind: null, number, hash, previous: checkpointHash, at };
  return { appId, ...state, ...sign(messageOfCheckpoint(appId, state)) };
}
