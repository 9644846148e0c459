import { isId, type TransferId, type WalletId } from '../kernel/ids.js';
import type { ComparedQueue, ReconcileBooks } from '../modules/transfer/index.js';
import { parseAppId, WrongUsage } from '../services/cli/arguments.js';
import type { CommandContext, Commands, Result, Values } from '../services/cli/command.js';
import { orderIn } from '../services/cli/requester.js';

export const TRANSFER_COMMANDS: Commands = {
  'transfers reconcile': {
    summary:
      'Compare sender queues with the chain after a restore or a failover, and list each transaction that the database does not know. Changes nothing without --apply, --adopt or --release.',
    options: {
      app: { type: 'string' },
      wallet: { type: 'string' },
      apply: { type: 'boolean', default: false },
      adopt: { type: 'string' },
      transfer: { type: 'string' },
      release: { type: 'boolean', default: false },
      'used-elsewhere': { type: 'boolean', default: false },
      reason: { type: 'string' },
    },
    async run(values, workspace): Promise<Result> {
      const { app, wallet, apply, adopt, release } = values;
      const books = await booksOf(workspace);
      const compared = await books.compare(app === undefined ? null : parseAppId(app), parseWalletId(wallet));
      if (adopt !== undefined) {
        const [order, id] = [orderIn(values), parseTransferId(values['transfer'])];
        for (const each of compared) if (await books.adopt(order, each, String(adopt), id)) return { adopted: id };
        throw new Error(
          'No listed transaction of this hash makes the payment of the transfer, among several that fit.',
        );
      }
      const result: Record<string, string> = {};
      for (const each of compared) {
        Object.assign(result, linesOf(each));
        if (apply) await books.apply(each);
        if (release) {
          const obstacle = await books.release(orderIn(values), each, values['used-elsewhere'] === true);
          result[nameOf(each)] = obstacle === '' ? 'released' : `not released: ${obstacle}`;
        }
      }
      return { queues: compared.length, ...result };
    },
  },
  'transfers close': {
    summary:
      'End a transfer that has not ended as failed and not safe to repeat, without a proof. The chain may still carry out what was signed for it.',
    operands: ['transfer'],
    options: { app: { type: 'string' }, reason: { type: 'string' } },
    required: ['app', 'reason'],
    async run(values, workspace) {
      const [appId, id] = [parseAppId(values['app']), parseTransferId(values['transfer'])];
      await (await booksOf(workspace)).close(orderIn(values), appId, id);
      return { closed: id };
    },
  },
};

async function booksOf(workspace: CommandContext): Promise<ReconcileBooks> {
  const { ReconcileBooks } = await import('../modules/transfer/index.js');
  return (await workspace.service()).get(ReconcileBooks, { strict: false });
}

function parseTransferId(text: Values[string]): TransferId {
  if (!isId('transfer', text)) throw new WrongUsage('The transfer must be named by its id (transfer_…).');
  return text;
}

function parseWalletId(text: Values[string]): WalletId | undefined {
  if (text !== undefined && !isId('wallet', text))
    throw new WrongUsage('--wallet must be the id of a wallet (wallet_…).');
  return text;
}

function nameOf({ queue: { appId, network, source } }: ComparedQueue): string {
  return `${appId} ${source} ${network}`;
}

function linesOf(compared: ComparedQueue): Result {
  const { found, fault } = compared;
  if (!found) return { [nameOf(compared)]: fault };
  const { adopted, selfTransfers, ambiguous, unknown, agrees, reason, books } = found;
  const lines: Record<string, string> = { [nameOf(compared)]: agrees ? 'agrees with the chain' : reason };
  for (const { found: each, id } of adopted) lines[each.hash] = `makes ${id}: ${each.summary}`;
  for (const each of selfTransfers) lines[each.hash] = `moves nothing, nonce ${each.nonce}`;
  for (const each of ambiguous) lines[each.hash] = `makes one of ${each.makes.join(', ')}: ${each.summary}`;
  for (const each of unknown) {
    const isLost = each.nonce === null;
    lines[each.hash] =
      `${isLost ? 'paid, no transfer' : `makes no open transfer, nonce ${each.nonce}`}: ${each.summary}`;
  }
  // A queue whose key is used elsewhere goes on, and its next comparison begins after these.
  for (const [index, summary] of books.unexplained.entries())
    lines[`${nameOf(compared)} made no transfer (${index + 1})`] = summary;
  return lines;
}

/** A restored database may have forgotten payments. */
export async function checkBooks(workspace: CommandContext): Promise<string> {
  const books = await booksOf(workspace);
  const compared = await books.compare(null);
  const behind = compared.filter(({ found }) => found !== null && !found.agrees);
  const names = new Set(behind.map(({ queue: { source, network } }) => `${source} on ${network}`));
  if (names.size > 0)
    throw new Error(
      `The chain shows what the database does not know of ${names.size} sender queues, e.g. of ${[...names][0]}. Run: transfers reconcile`,
    );
  const unknown = compared.find(({ found }) => found === null);
  return unknown ? `not compared: ${unknown.fault}` : 'ok';
}
