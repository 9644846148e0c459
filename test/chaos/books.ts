import { type BudgetHistory, faultsOf, historiesOf, textOf } from '../modules/policy/budget-history.js';
import type { Chains } from './chains.js';
import type { Order, Wallet } from './client.js';
import type { EvmNetwork } from './networks/evm-network.js';
import type { NetworkName } from './networks/names.js';
import type { CrashingPostgres } from './postgres.js';

export interface Entry {
  readonly id: string;
  readonly app_id: string;
  /** In the smallest units. */
  readonly amount: string;
  readonly status: string;
  readonly retry_safe: boolean | null;
  readonly failure_code: string | null;
  readonly stuck_reason: string | null;
}

/** A transaction of a wallet's account that the service did not sign. */
export interface ForeignTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
  /** The order whose payment it makes, if it makes one. */
  readonly order: Order | null;
}

export interface Verdict {
  readonly order: Order;
  readonly entries: readonly (Entry | undefined)[];
  /**
   * The number of payments of the order on the chain. A payment by another holder of the key counts if it has the nonce of one of
   * the order's attempts; with another nonce it is a payment of its own.
   */
  readonly times: bigint;
  /** Those of `times` that another holder of the key made. */
  readonly byHolder: bigint;
  /** The networks on which its destination received something although the order is not paid there. */
  readonly astray: readonly NetworkName[];
}

/** The budgets of all apps, recomputed from the committed rows. */
export interface BudgetVerdict {
  /** The amounts that rules have counted, and those of them that were given back. */
  readonly counted: number;
  readonly givenBack: number;
  /** The requests that were refused because a budget was used up. */
  readonly refused: number;
  /** Versions that came into force or went out of it. */
  readonly changes: number;
  /** The faults, and the histories of the apps that have them. */
  readonly faults: readonly string[];
}

/** The approvals of transfers: how often each end came about, and the faults. */
export interface ApprovalVerdict {
  readonly executed: number;
  readonly rejected: number;
  readonly expired: number;
  /** Made void by the cancellation of their transfers. */
  readonly cancelled: number;
  readonly faults: readonly string[];
}

const APPROVALS = `
  select t.id, t.status, t.failure_code as code, array_agg(a.state order by a.id) as states,
         (select count(*)::int from transfer_attempts s where s.transfer_id = t.id and s.kind = 'payment') as signed
    from transfers t join approvals a on a.app_id = t.app_id and a.operation_id = t.id group by t.app_id, t.id`;

interface ApprovedTransfer {
  readonly id: string;
  readonly status: string;
  readonly code: string | null;
  readonly states: readonly string[];
  readonly signed: number;
}

/** The transfers as the service stores them. */
export class Books {
  constructor(private readonly postgres: CrashingPostgres) {}

  async read(): Promise<Map<string, Entry>> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ entry: Entry }>(
        `select to_jsonb(t) || jsonb_build_object('amount', t.amount::text) as entry from transfers t`,
      );
      return new Map(rows.map(({ entry }) => [entry.id, entry]));
    });
  }

  async pending(): Promise<Entry[]> {
    return [...(await this.read()).values()].filter(({ status }) => status === 'pending');
  }

  /** The transfer whose payment was signed with this nonce of the account on this network. */
  async paymentWith(network: string, address: string, nonce: number): Promise<string | null> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ id: string | null }>(
        `select transfer_id as id from transfer_attempts where network = $1 and address = $2 and nonce = $3 order by ordinal limit 1`,
        [network, address, nonce],
      );
      return rows[0]?.id ?? null;
    });
  }

  /** Whether a transfer of the order was signed with this nonce. */
  private async hasNonce({ wallet, transfers }: Order, nonce: number): Promise<boolean> {
    return this.postgres.ask(async (client) => {
      const { rowCount } = await client.query(
        `select 1 from transfer_attempts where address = $1 and nonce = $2 and transfer_id = any($3) limit 1`,
        [wallet.address, nonce, transfers],
      );
      return rowCount === 1;
    });
  }

  async verdictOf(order: Order, entries: ReadonlyMap<string, Entry>, chains: Chains): Promise<Verdict> {
    let [byHolder, others] = [0n, 0n];
    for (const { nonce } of await chains.landedForeign(order)) {
      if (await this.hasNonce(order, nonce)) byHolder += 1n;
      else others += 1n;
    }
    const made = order.transfers.map((id) => entries.get(id));
    const times = (await chains.paymentsOf(order, made)) - others;
    return { order, entries: made, times, byHolder, astray: await chains.astray(order) };
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

  /** Allocated nonces that their networks have not executed. */
  async nonceGaps(chains: Chains, wallets: readonly Wallet[]): Promise<number> {
    return this.postgres.ask(async (client) => {
      let gaps = 0;
      for (const { address } of wallets.filter(({ chain }) => chain === 'ethereum')) {
        for (const { id, anvil } of chains.evm) {
          const { rows } = await client.query<{ next: string | null }>(
            `select next_nonce as next from sender_queues where network = $1 and address = $2`,
            [id, address],
          );
          const carriedOut = await anvil.provider.getTransactionCount(address);
          gaps += Math.max(0, Number(rows[0]?.next ?? 0) - carriedOut);
        }
      }
      return gaps;
    });
  }

  /**
   * The amounts that the policies of all apps have counted, the refusals, and the faults with the history of each app that has one. A process
   * may have been stopped for `stoppedSeconds` between a decision and its row.
   */
  async budgets(stoppedSeconds: number): Promise<BudgetVerdict> {
    const histories = await this.postgres.ask((client) =>
      historiesOf(async (sql, parameters) => (await client.query<object>(sql, parameters)).rows),
    );
    const count = (values: (history: BudgetHistory) => number): number =>
      histories.reduce((sum, history) => sum + values(history), 0);
    return {
      counted: count(({ spends }) => spends.length),
      givenBack: count(({ spends }) => spends.filter(({ releasedAt }) => releasedAt !== null).length),
      refused: count(({ decisions }) => decisions.filter(({ reason }) => reason?.startsWith('window_')).length),
      changes: count(({ changes }) => changes.length),
      faults: histories.flatMap((history) => {
        const faults = faultsOf(history, stoppedSeconds + 10);
        return faults.length > 0 ? [...faults, textOf(history)] : [];
      }),
    };
  }

  async approvals(): Promise<ApprovalVerdict> {
    const { rows } = await this.postgres.ask((client) => client.query<ApprovedTransfer>(APPROVALS));
    const count = (is: (transfer: ApprovedTransfer) => boolean): number => rows.filter(is).length;
    return {
      executed: count(({ states }) => states.includes('executed')),
      rejected: count(({ code }) => code === 'rejected_by_approver'),
      expired: count(({ code }) => code === 'approval_expired'),
      cancelled: count(({ status, states }) => status === 'cancelled' && states.includes('void')),
      faults: rows.filter(isAgainstApprovals).map((transfer) => JSON.stringify(transfer)),
    };
  }

  /** All rows about payments, for the evidence of a failed run. */
  async all(): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const tables = [
      'transfers',
      'transfer_attempts',
      'sender_queues',
      'approvals',
      'approval_votes',
      'policy_decisions',
    ];
    return this.postgres.ask(async (client) => {
      const read = async (table: string): Promise<readonly unknown[]> =>
        (await client.query<{ row: unknown }>(`select to_jsonb(t) - 'raw' as row from ${table} t`)).rows.map(
          ({ row }) => row,
        );
      const all: Record<string, readonly unknown[]> = {};
      for (const table of tables) all[table] = await read(table);
      const EVENTS = `select type, created_at, data from stored_events where type ~ '^(transfer|approval|policy)' order by seq`;
      return { ...all, events: (await client.query<object>(EVENTS)).rows };
    });
  }

  /** Everything known about an order: from the service's database and from the chain. */
  async describe(chains: Chains, { order, times, byHolder, astray }: Verdict): Promise<unknown> {
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
    const { network, wallet, dest, amount } = order;
    const evm = chains.evmNamed(network);
    const onChain = await Promise.all(
      hashes.map(async (hash) => ({
        hash,
        ...(evm ? await inBlock(evm, hash) : { slot: chains.solana.runtime.slotOf(hash) }),
      })),
    );
    const nonce = evm && (await evm.anvil.provider.getTransactionCount(wallet.address));
    const paid = { times: Number(times), byHolder: Number(byHolder), astray };
    return { network, dest, amount, paid, known: order.transfers, stored, onChain, nonce };
  }
}

/** Signed without an approval, or refused although it is signed; or its approval is still open after its end. */
function isAgainstApprovals({ status, states, signed }: ApprovedTransfer): boolean {
  const isOpen = states.some((state) => state === 'waiting' || state === 'approved');
  const isRefused = status === 'rejected' || status === 'expired';
  return (signed > 0 && !states.includes('executed')) || (isRefused && signed > 0) || isOpen;
}

async function inBlock({ anvil }: EvmNetwork, hash: string): Promise<object> {
  const receipt = await anvil.call<Record<string, string> | null>('eth_getTransactionReceipt', hash);
  if (receipt)
    return { block: Number(receipt['blockNumber']), blockHash: receipt['blockHash'], status: receipt['status'] };
  return { waits: (await anvil.call('eth_getTransactionByHash', hash)) !== null };
}
