import { type Address, isAddress, isOffCurveAddress } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
  type Token,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { Asset } from '../domain/asset.js';
import type { Balances, Nonces, Payment, PreparedPayment, Signable, SignedAttempt, Standing } from '../domain/chain.js';
import {
  BelowRentMinimum,
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  PaymentRefusedByChain,
} from '../domain/chain.errors.js';
import { NodeChain, NodeFault, type NodeWatch } from './chain-node.js';
import { type Account, SolanaNode, type SolanaNodeSettings } from './solana-node.js';
import { messageOf, movesToken, signMessage, type TokenAccounts } from './solana-transaction.js';

/** What the chain says of the two ends of a payment. */
interface Ends {
  readonly balances: Balances;
  readonly balancesAt: number;
  readonly tokens: TokenAccounts | null;
  /** What making accounts takes from the source besides the fee. */
  readonly rent: bigint;
  readonly minimumLeft: bigint;
}

/** Solana: system accounts and the tokens of the token program. */
export class SolanaChain extends NodeChain {
  readonly name = 'solana';
  private readonly node: SolanaNode;

  constructor(settings: SolanaNodeSettings, watch?: NodeWatch) {
    super('Solana', watch);
    this.node = new SolanaNode(settings);
  }

  address(text: string, field?: string): string {
    // Off the curve there is no key: what is sent there only a program could give back.
    if (!isAddress(text) || isOffCurveAddress(text)) {
      throw new InvalidAddress('The address must be base58 of 32 bytes that are a public key of Ed25519.', field);
    }
    return text;
  }

  tokenAddress(text: string, field?: string): string {
    if (!isAddress(text)) throw new InvalidAddress('The mint must be base58 of 32 bytes.', field);
    return text;
  }

  async network(): Promise<string> {
    // CAIP-2 names a cluster by the first 32 characters of its genesis hash.
    return `solana:${(await this.answered(this.node.genesisHash())).slice(0, 32)}`;
  }

  async balance(address: string, asset: Asset): Promise<bigint> {
    return this.answered(
      (async () => {
        const holder = asset.token === null ? (address as Address) : await tokenAccountOf(address, asset.token);
        const [account = null] = (await this.node.accounts([holder])).of;
        return (asset.token === null ? account?.lamports : tokenOf(account)?.amount) ?? 0n;
      })(),
    );
  }

  nonces(): Promise<Nonces | null> {
    return Promise.resolve(null);
  }

  async prepare(payment: Payment, feeCap?: bigint): Promise<PreparedPayment> {
    const [network, lifetime, ends] = await Promise.all([
      this.network(),
      this.answered(this.node.latestBlockhash()),
      this.answered(
        payment.asset.token === null ? this.endsOfCoin(payment) : this.endsOfToken(payment, payment.asset.token),
      ),
    ]);
    const { balances, balancesAt, tokens, rent, minimumLeft } = ends;
    const message = messageOf(payment, tokens, lifetime);
    const fee = await this.answered(this.node.fee(message));
    const maxFee = fee + rent;
    if (feeCap !== undefined && maxFee > feeCap) throw new FeesAboveQuote();
    return {
      feeCap: feeCap ?? maxFee,
      balances,
      balancesAt,
      minimumLeft,
      sign: (signer) => signMessage(message, payment, tokens, lifetime, { network, maxFee }, signer),
    };
  }

  prepareBump(): Promise<Signable | null> {
    return Promise.resolve(null);
  }

  prepareCancellation(): Promise<Signable | null> {
    return Promise.resolve(null);
  }

  protected hand(raw: Uint8Array): Promise<string> {
    return this.node.send(raw);
  }

  protected async standing(_source: string, attempts: readonly SignedAttempt[]): Promise<Standing> {
    const network = await this.network();
    const foreign = attempts.find((attempt) => attempt.network !== network);
    if (foreign) return { is: 'unknown', reason: `An attempt was signed for ${foreign.network}.` };
    if (attempts.length === 0) return { is: 'unknown', reason: 'There is no attempt.' };
    // The order is the proof: once a final block is past the last height that may hold them, what is not in the node's
    // history by then, or later, is never going to be.
    const final = await this.node.finalized();
    const statuses = await this.node.statuses(attempts.map(({ hash }) => hash));
    const known = attempts.flatMap((attempt, index) => {
      const status = statuses.of[index];
      return status ? [{ attempt, status }] : [];
    });
    const alive = known.findLast(({ status }) => !(status.level === 'finalized' && status.failed));
    if (alive) return this.standingOf(alive.attempt, alive.status);
    const unseen = attempts.filter((attempt) => !known.some((other) => other.attempt === attempt));
    const isProven = await this.areExpired(unseen, final, statuses.slot);
    const failed = known.at(-1);
    if (failed && isProven) return this.standingOf(failed.attempt, failed.status);
    return { is: isProven ? 'dead' : 'not_seen' };
  }

  /** Whether attempts of which there was no status can never be carried out any more. */
  private async areExpired(
    unseen: readonly SignedAttempt[],
    final: { readonly slot: bigint; readonly blockHeight: bigint },
    statusSlot: bigint,
  ): Promise<boolean> {
    if (unseen.length === 0) return true;
    const isPast = unseen.every(
      ({ lastValidBlockHeight }) => lastValidBlockHeight !== null && final.blockHeight > lastValidBlockHeight,
    );
    if (!isPast) return false;
    if (statusSlot < final.slot) throw new NodeFault('The statuses are older than the final block.');
    // What has led here may be the answers of several machines. One that has thrown away the blocks of that time, or has not
    // come to them, has no status either: only beside what it keeps does its "no" prove anything.
    const again = await this.node.statusesAndHistory(unseen.map(({ hash }) => hash));
    if (again.slot < final.slot || again.of.some((status) => status !== null)) {
      throw new NodeFault('The node contradicts itself.');
    }
    if (unseen.some(({ validFromSlot }) => validFromSlot === null || validFromSlot < again.firstSlotKept)) {
      throw new NodeFault('The node no longer keeps the blocks an attempt may be in.');
    }
    return true;
  }

  private async standingOf(
    { hash, raw }: SignedAttempt,
    { slot, level, failed }: { readonly slot: bigint; readonly level: string; readonly failed: boolean },
  ): Promise<Standing> {
    const block = { number: Number(slot), hash: null };
    if (level === 'processed') return { is: 'submitted', hash };
    if (level === 'confirmed') return { is: 'mined', hash, block };
    const transaction = await this.node.finalTransaction(hash);
    if (!transaction || transaction.failed !== failed || transaction.slot !== slot) {
      throw new NodeFault('The node contradicts itself about a final transaction.');
    }
    // Accounts it made are paid by the source too, and belong to the fees.
    const { before, after } = transaction.payer;
    const fee = !failed && movesToken(raw) ? before - after : transaction.fee;
    return { is: 'final', hash, block, outcome: failed ? 'reverted' : 'success', fee };
  }

  private async endsOfCoin({ source, dest, amount }: Payment): Promise<Ends> {
    const [{ slot, of: ends }, minimum] = await Promise.all([
      this.node.accounts([source as Address, dest as Address]),
      this.node.rentExemptMinimum(0),
    ]);
    const [from, to] = ends;
    const coin = from?.lamports ?? 0n;
    if (coin < amount) throw new InsufficientFunds();
    if (to && (to.executable || to.owner !== SYSTEM_PROGRAM_ADDRESS)) {
      throw new PaymentRefusedByChain('The destination is not a wallet: it belongs to a program.');
    }
    if ((to?.lamports ?? 0n) + amount < minimum) {
      throw new BelowRentMinimum(`A new account must receive at least the rent-exempt minimum of ${minimum} lamports.`);
    }
    return {
      balances: { coin, asset: coin },
      balancesAt: Number(slot),
      tokens: null,
      rent: 0n,
      minimumLeft: minimum,
    };
  }

  private async endsOfToken({ source, dest, asset, amount }: Payment, mint: string): Promise<Ends> {
    const [sourceAccount, destAccount] = await Promise.all([tokenAccountOf(source, mint), tokenAccountOf(dest, mint)]);
    const [{ slot, of: accounts }, minimum, rentOfAccount] = await Promise.all([
      this.node.accounts([source, mint, sourceAccount, destAccount] as Address[]),
      this.node.rentExemptMinimum(0),
      this.node.rentExemptMinimum(getTokenSize()),
    ]);
    const [payer, minted, from, to] = accounts;
    assertIsMint(minted ?? null, asset);
    const held = tokenOf(from ?? null);
    const balances = { coin: payer?.lamports ?? 0n, asset: held?.amount ?? 0n };
    if (balances.asset < amount) throw new InsufficientFunds();
    if (held?.state === AccountState.Frozen)
      throw new PaymentRefusedByChain('The token account of the source is frozen.');
    // Somebody may have sent coins there before there was an account: it is made all the same.
    const createsDest = !to || (to.owner === SYSTEM_PROGRAM_ADDRESS && to.data.length === 0);
    const receiver = createsDest ? null : tokenOf(to);
    // The owner of a token account can hand it over: then the tokens would be somebody else's.
    if (
      !createsDest &&
      (receiver?.owner !== dest || receiver.mint !== mint || receiver.state !== AccountState.Initialized)
    ) {
      throw new PaymentRefusedByChain('The token account of the destination is frozen or belongs to somebody else.');
    }
    return {
      balances,
      balancesAt: Number(slot),
      tokens: { source: sourceAccount, dest: destAccount, createsDest },
      rent: createsDest ? rentOfAccount : 0n,
      minimumLeft: minimum,
    };
  }
}

async function tokenAccountOf(owner: string, mint: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: owner as Address,
    mint: mint as Address,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return account;
}

function tokenOf(account: Account | null): Token | null {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getTokenSize()) return null;
  return getTokenDecoder().decode(account.data);
}

/** Wrong decimals would pay a thousand times too much, or too little. */
function assertIsMint(account: Account | null, { symbol, decimals }: Asset): void {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getMintSize()) {
    throw new PaymentRefusedByChain(`${symbol} is not a mint of the token program.`);
  }
  const mint = getMintDecoder().decode(account.data);
  if (mint.decimals !== decimals) {
    throw new PaymentRefusedByChain(`${symbol} has ${mint.decimals} decimals on the chain, not ${decimals}.`);
  }
}
