import { parseUnits } from 'ethers';
import type { Chains } from './chains.js';
import { AMOUNT, type Order, type Wallet } from './client.js';
import type { CrashingPostgres } from './postgres.js';

export interface Entry {
  readonly id: string;
  readonly status: string;
  readonly retry_safe: boolean | null;
  readonly failure_code: string | null;
  readonly stuck_reason: string | null;
}

export interface Verdict {
  readonly order: Order;
  readonly entries: readonly (Entry | undefined)[];
  /** The number of payments of the order on the chain. */
  readonly times: bigint;
}

/** The transfers as the service stores them. */
export class Books {
  constructor(private readonly postgres: CrashingPostgres) {}

  async read(): Promise<Map<string, Entry>> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ entry: Entry }>(`select to_jsonb(t) as entry from transfers t`);
      return new Map(rows.map(({ entry }) => [entry.id, entry]));
    });
  }

  /**
   * Signed more than once: for a higher fee, to cancel, or again after the proof that no earlier attempt can be
   * executed.
   */
  async resigned(): Promise<number> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from transfer_attempts where ordinal > 0`,
      );
      return rows[0]!.count;
    });
  }

  /** Allocated nonces that the chain has not executed. */
  async nonceGaps(chains: Chains, wallets: readonly Wallet[]): Promise<number> {
    return this.postgres.ask(async (client) => {
      let gaps = 0;
      for (const { address } of wallets.filter(({ chain }) => chain === 'ethereum')) {
        const { rows } = await client.query<{ next: string | null }>(
          `select next_nonce as next from chain_lanes where address = $1`,
          [address],
        );
        const carriedOut = await chains.anvil.provider.getTransactionCount(address);
        gaps += Math.max(0, Number(rows[0]?.next ?? 0) - carriedOut);
      }
      return gaps;
    });
  }

  /** Everything known about an order: from the service's database and from the chain. */
  async describe(chains: Chains, { order, times }: Verdict): Promise<unknown> {
    const stored = await this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ transfer: { attempts: { hash: string }[] | null } }>(
        `select to_jsonb(t) || jsonb_build_object('now', now(), 'attempts',
            (select jsonb_agg(to_jsonb(a) - 'raw' order by ordinal) from transfer_attempts a where a.transfer_id = t.id)) as transfer
           from transfers t where id = any($1) order by created_at`,
        [order.transfers],
      );
      return rows.map(({ transfer }) => transfer);
    });
    const hashes = stored.flatMap(({ attempts }) => (attempts ?? []).map(({ hash }) => hash));
    const { chain, address } = order.wallet;
    const onChain = await Promise.all(
      hashes.map(async (hash) =>
        chain === 'solana'
          ? { hash, slot: chains.solana.slotOf(hash) }
          : {
              hash,
              ...(await inBlock(chains, hash)),
            },
      ),
    );
    const nonce = chain === 'ethereum' ? await chains.anvil.provider.getTransactionCount(address) : null;
    return { chain, dest: order.dest, paid: Number(times), known: order.transfers, stored, onChain, nonce };
  }
}

async function inBlock({ anvil }: Chains, hash: string): Promise<object> {
  const receipt = await anvil.call<Record<string, string> | null>('eth_getTransactionReceipt', hash);
  if (receipt)
    return { block: Number(receipt['blockNumber']), blockHash: receipt['blockHash'], status: receipt['status'] };
  return { waits: (await anvil.call('eth_getTransactionByHash', hash)) !== null };
}

export async function verdictOf(order: Order, books: ReadonlyMap<string, Entry>, chains: Chains): Promise<Verdict> {
  const { chain } = order.wallet;
  const received = chain === 'ethereum' ? await chains.anvil.balance(order.dest) : chains.solana.balance(order.dest);
  return {
    order,
    entries: order.transfers.map((id) => books.get(id)),
    times: received / parseUnits(AMOUNT, chain === 'ethereum' ? 18 : 9),
  };
}
