import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUnits } from 'ethers';
import { Client } from 'pg';
import { type ChainName, ETH, newAddress, SOL } from '../modules/transfer/money.js';
import { Anvil } from '../support/anvil.js';
import { ChainProxy, type Fault, FAULTS } from '../support/chain-proxy.js';
import { createDatabase } from '../support/database.js';
import { SolanaRuntime } from '../support/solana-runtime.js';
import { Replica } from './replica.js';

export interface ChaosSettings {
  readonly transfersPerChain: number;
  readonly walletsPerChain?: number;
  /** Clients at work on each chain at a time. */
  readonly clients?: number;
  /** Share of the calls to a node that go wrong while it is stormy. */
  readonly faultShare?: number;
  /** Milliseconds between kills, on average. */
  readonly killEveryMs?: number;
  /** How long the rest may take to settle once clients have done. */
  readonly settleSeconds?: number;
  readonly seed?: number;
}

/** What became of it all, as the chains tell it. */
export interface ChaosReport {
  readonly transfers: number;
  readonly kills: number;
  readonly faults: number;
  readonly reorganisations: number;
  readonly expiries: number;
  /** Signed more than once: bumped on Ethereum, signed anew after proof of expiry on Solana. */
  readonly resigned: number;
  readonly paidOnce: number;
  readonly paidTwice: number;
  /** Completed but not on the chain, or not ended. */
  readonly lost: number;
  /** On the chain although the service says failed, expired or cancelled. */
  readonly paidAgainstTheBooks: number;
  readonly nonceGaps: number;
  /** What is known of the transfers that have not completed. */
  readonly unsettled: readonly unknown[];
  readonly seconds: number;
}

const CHAINS: readonly ChainName[] = ['ethereum', 'solana'];
const MANAGEMENT_KEY = `mk_${'chaos'.repeat(8)}`;
/** Blocks on top that make an Ethereum block final; reorganisations stay below. */
const FINALITY_DEPTH = 3;
const FINALIZED_AFTER = 8;

interface Wallet {
  readonly chain: ChainName;
  readonly id: string;
  readonly address: string;
  readonly key: string;
}

interface Paid {
  readonly wallet: Wallet;
  readonly dest: string;
  readonly amount: string;
  readonly id: string;
}

/**
 * Two replicas pay on two chains while nodes lose requests and answers, answer garbage, are reached twice and lag behind,
 * blocks are reorganised away, blockhashes expire, and every few seconds a replica is killed with SIGKILL. Each
 * transfer is confirmed by four callers at once. The end is counted on the chains, not in the books.
 */
export async function runChaos(settings: ChaosSettings): Promise<ChaosReport> {
  const { transfersPerChain, walletsPerChain = 4, clients = 6, faultShare = 0.4, killEveryMs = 2500 } = settings;
  const started = performance.now();
  const random = generator(settings.seed ?? randomBytes(4).readUInt32LE());
  const dataDir = await mkdtemp(join(tmpdir(), 'chaos-'));
  const database = await createDatabase();
  const anvil = await Anvil.start({ blockTime: 'never' });
  const solana = await SolanaRuntime.start({ slotMs: 40, finalizedAfter: FINALIZED_AFTER });
  const proxies = { ethereum: await ChainProxy.start(anvil.url, 200), solana: await ChainProxy.start(solana.url, 200) };
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    MANAGEMENT_KEY,
    MASTER_KEYS: `chaos:${createHash('sha256').update('the master key of chaos').digest('base64')}`,
    ETHEREUM_RPC_URL: proxies.ethereum.url,
    ETHEREUM_CHAIN_ID: String(anvil.chainId),
    ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH),
    SOLANA_RPC_URL: proxies.solana.url,
    TRANSFER_CONFIRM_WAIT_SECONDS: '2',
    TRANSFER_BUMP_AFTER_SECONDS: '4',
    PUBLIC_RATE: '100000',
  };
  const replicas = [new Replica(env), new Replica(env)];
  const world = { isOver: false, kills: 0, reorganisations: 0, expiries: 0 };
  /** Repeats `work` every so often until the world is over. */
  const repeat = async (everyMs: number, work: () => Promise<void> | void): Promise<void> => {
    while (!world.isOver) {
      await sleep(everyMs * (0.5 + random()));
      if (!world.isOver) await work();
    }
  };
  const background: Promise<void>[] = [];
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    const wallets = await makeWallets(replicas, walletsPerChain);
    await Promise.all(
      wallets.map(async ({ chain, address }) =>
        chain === 'ethereum' ? anvil.fund(address, 10_000n * ETH) : solana.fund(address, 10_000n * SOL),
      ),
    );
    // Blocks go on even when the rest is over, so that what is left becomes final.
    const mining = { isOver: false };
    const miner = (async () => {
      while (!mining.isOver) {
        await anvil.mine();
        await sleep(150);
      }
    })();
    const kinds: readonly Fault[] = [...FAULTS, 'stale'];
    // In storms, with calm between them: where every call is as likely to fail, hardly anything of several calls happens.
    let isStormy = true;
    const fault = (): Fault | null =>
      isStormy && random() < faultShare ? kinds[Math.floor(random() * kinds.length)]! : null;
    for (const proxy of Object.values(proxies)) proxy.fault = fault;
    solana.fate = () => {
      const drawn = random();
      return drawn < 0.15 ? 'forget' : drawn < 0.45 ? 'hold' : 'land';
    };
    background.push(
      repeat(killEveryMs, async () => {
        const replica = replicas[Math.floor(random() * replicas.length)]!;
        if (replica.url === undefined) return;
        await replica.kill();
        world.kills += 1;
        await replica.start();
      }),
      repeat(1500, async () => {
        await anvil.reorganise(1 + Math.floor(random() * (FINALITY_DEPTH - 1)));
        world.reorganisations += 1;
      }),
      repeat(2000, () => {
        solana.fork(1 + Math.floor(random() * (FINALIZED_AFTER - 2)));
        world.reorganisations += 1;
      }),
      repeat(1500, () => {
        isStormy = random() < 0.4;
      }),
      // Longer than it takes to look again, shorter than a blockhash lives: whoever signs anew too early pays twice.
      repeat(2500, () => solana.release()),
      repeat(8000, () => {
        solana.expireBlockhashes();
        world.expiries += 1;
      }),
    );

    const paid = (
      await Promise.all(
        CHAINS.flatMap((chain) => {
          const payers = wallets.filter((wallet) => wallet.chain === chain);
          let left = transfersPerChain;
          return Array.from({ length: clients }, async () => {
            const done: Paid[] = [];
            while (left > 0) {
              left -= 1;
              done.push(await pay(replicas, payers[left % payers.length]!, random));
            }
            return done;
          });
        }),
      )
    ).flat();

    world.isOver = true;
    await Promise.all(background);
    const faults = proxies.ethereum.spoilt + proxies.solana.spoilt;
    for (const proxy of Object.values(proxies)) proxy.fault = () => null;
    solana.fate = () => 'land';
    const statuses = await settled(database.url, settings.settleSeconds ?? 60);
    mining.isOver = true;
    await miner;
    const verdicts = await Promise.all(
      paid.map(async ({ wallet: { chain }, dest, amount, id }) => {
        const received = chain === 'ethereum' ? await anvil.balance(dest) : solana.balance(dest);
        return { id, status: statuses.get(id)!, times: received / parseUnits(amount, chain === 'ethereum' ? 18 : 9) };
      }),
    );
    const count = (is: (verdict: (typeof verdicts)[number]) => boolean): number => verdicts.filter(is).length;
    return {
      transfers: verdicts.length,
      kills: world.kills,
      faults,
      reorganisations: world.reorganisations,
      expiries: world.expiries,
      resigned: await resigned(database.url),
      paidOnce: count(({ status, times }) => status === 'completed' && times === 1n),
      paidTwice: count(({ times }) => times > 1n),
      lost: count(({ status, times }) => status === 'pending' || (status === 'completed' && times === 0n)),
      paidAgainstTheBooks: count(({ status, times }) => status !== 'completed' && status !== 'pending' && times > 0n),
      nonceGaps: await nonceGaps(database.url, anvil, wallets),
      unsettled: await unsettled(database.url),
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    world.isOver = true;
    await Promise.allSettled(background);
    await Promise.all(replicas.map((replica) => replica.kill()));
    await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
    await anvil.stop();
    await solana.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** One line to be read by people, and what must hold. */
export function summary({ transfers, kills, faults, paidOnce, paidTwice, lost, nonceGaps }: ChaosReport): string {
  return `transfers ${transfers}, kills ${kills}, faults ${faults}, paid once ${paidOnce}, paid twice ${paidTwice}, lost ${lost}, nonce gaps ${nonceGaps}`;
}

/** Creates a transfer and has four callers confirm it at once, again and again until it is confirmed. */
async function pay(replicas: readonly Replica[], wallet: Wallet, random: () => number): Promise<Paid> {
  const dest = newAddress(wallet.chain);
  const amount = '0.01';
  const custom_id = randomBytes(12).toString('hex');
  const order = { source: wallet.id, dest, source_amount: amount, source_currency: wallet.chain, custom_id };
  for (;;) {
    // Whoever does not know whether it was created asks again under the same custom id.
    const created = await call(replicas, random, '/v1/transfers/create', wallet.key, order);
    const id =
      created?.status === 200
        ? String(created.body['id'])
        : created?.body['error_type'] === 'duplicate_custom_id'
          ? /transfer_[0-9a-z]+/.exec(String(created.body['error_message']))![0]
          : null;
    if (id === null) {
      await sleep(100);
      continue;
    }
    for (let round = 0; round < 100; round++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => call(replicas, random, `/v1/transfers/${id}/confirm`, wallet.key, {})),
      );
      if (answers.some((answer) => answer?.status === 200 || answer?.body['error_type'] === 'transfer_expired')) {
        return { wallet, dest, amount, id };
      }
      await sleep(200);
    }
    throw new Error(`Transfer ${id} could not be confirmed.`);
  }
}

/** Null when the replica was killed before it answered, or none is there. */
async function call(
  replicas: readonly Replica[],
  random: () => number,
  path: string,
  key: string,
  body: unknown,
): Promise<{ status: number; body: Record<string, unknown> } | null> {
  const ready = replicas.filter(({ url }) => url !== undefined);
  const replica = ready[Math.floor(random() * ready.length)];
  if (!replica?.url) return null;
  try {
    const response = await fetch(replica.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  } catch {
    return null;
  }
}

async function makeWallets([replica]: readonly Replica[], walletsPerChain: number): Promise<Wallet[]> {
  const post = async (path: string, key: string, body: unknown): Promise<Record<string, string>> => {
    const response = await fetch(`${replica!.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const app = await post('/management/v1/apps', MANAGEMENT_KEY, { name: 'Chaos', mode: 'test' });
  const key = app['secret_key']!;
  const wallets: Wallet[] = [];
  for (const chain of CHAINS) {
    for (let i = 0; i < walletsPerChain; i++) {
      const user = await post('/v1/auth/users/create', key, { email: `${chain}${i}@example.com`, wallet_type: 'none' });
      const wallet = await post('/v1/wallets/create', key, { user_id: user['user_id'], wallet_type: chain });
      wallets.push({ chain, id: wallet['id']!, address: wallet['public_address']!, key });
    }
  }
  return wallets;
}

/** What the books say of every transfer, once none is pending or the time is over. */
async function settled(databaseUrl: string, seconds: number): Promise<Map<string, string>> {
  return asking(databaseUrl, async (database) => {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const { rows } = await database.query<{ id: string; status: string }>(`select id, status from transfers`);
      const isPending = rows.some(({ status }) => status === 'pending');
      if (!isPending || performance.now() > end) return new Map(rows.map(({ id, status }) => [id, status]));
      await sleep(250);
    }
  });
}

async function unsettled(databaseUrl: string): Promise<unknown[]> {
  return asking(databaseUrl, async (database) => {
    const { rows } = await database.query<{ transfer: unknown }>(
      `select json_build_object('id', id, 'chain', chain, 'status', status, 'stage', stage, 'failure', failure_code,
          'age', now() - confirmed_at, 'next_look', next_check_at - now(), 'attempts',
          (select json_agg(json_build_object('nonce', nonce, 'age', now() - created_at, 'accepted', accepted_at is not null))
             from transfer_attempts a where a.transfer_id = t.id)) as transfer
         from transfers t where status <> 'completed'`,
    );
    return rows.map(({ transfer }) => transfer);
  });
}

async function resigned(databaseUrl: string): Promise<number> {
  return asking(databaseUrl, async (database) => {
    const { rows } = await database.query<{ count: number }>(
      `select count(*)::int as count from transfer_attempts where ordinal > 0`,
    );
    return rows[0]!.count;
  });
}

/** Nonces up to the last one handed out that the chain has not carried out. */
async function nonceGaps(databaseUrl: string, anvil: Anvil, wallets: readonly Wallet[]): Promise<number> {
  return asking(databaseUrl, async (database) => {
    let gaps = 0;
    for (const { address } of wallets.filter(({ chain }) => chain === 'ethereum')) {
      const { rows } = await database.query<{ next: string | null }>(
        `select next_nonce as next from chain_lanes where address = $1`,
        [address],
      );
      gaps += Math.max(0, Number(rows[0]?.next ?? 0) - (await anvil.provider.getTransactionCount(address)));
    }
    return gaps;
  });
}

async function asking<T>(databaseUrl: string, work: (database: Client) => Promise<T>): Promise<T> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** Random numbers that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
