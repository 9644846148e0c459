import { setTimeout as sleep } from 'node:timers/promises';
import { MANAGEMENT_KEY } from '../client.js';
import { oneOf, putInForce, type Stage, type TroubleKind } from './trouble.js';

/** The payments of an app in a minute, usually and while the budget is tight. */
const USUAL = 200;
const TIGHT = 1;
const TIGHTENED_MS = 1_200;

/** A policy of each app has a budget of payments, which is tightened for a while: then payments are refused, and made later. */
export const budgets = (): TroubleKind<'budgets'> => {
  const versions = new Map<string, { readonly usual: string; readonly tight: string }>();
  const denials = ({ postgres }: Stage): Promise<number> =>
    postgres.ask(async (client) => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from policy_decisions where reason in ('window_amount', 'window_count')`,
      );
      return rows[0]!.count;
    });
  return {
    name: 'budgets',
    everyMs: 2_000,
    async prepare(stage) {
      const { client, wallets } = stage;
      for (const id of new Set(wallets.map(({ appId }) => appId))) {
        const version = async (max_count: number): Promise<string> => {
          const rules = [
            { id: 'pays', effect: 'allow', match: { operations: ['transfer'] }, windows: [{ seconds: 60, max_count }] },
            {
              id: 'signs',
              effect: 'allow',
              match: { operations: ['sign_message', 'sign_typed_data', 'sign_transaction', 'export'] },
            },
          ];
          const body = { name: 'Budget', scope: { kind: 'app', id }, rules };
          return String(
            (await client.insist('POST', `/management/v1/apps/${id}/policies`, MANAGEMENT_KEY, body))['id'],
          );
        };
        const [usual, tight] = [await version(USUAL), await version(TIGHT)];
        versions.set(id, { usual, tight });
        await putInForce(stage, id, usual);
      }
    },
    async make(stage) {
      const { client, wallets, orders, random, pace } = stage;
      const wallet = oneOf(wallets, random)!;
      const { usual, tight } = versions.get(wallet.appId)!;
      const before = await denials(stage);
      await putInForce(stage, wallet.appId, tight);
      const made = [client.orderOf(wallet), client.orderOf(wallet)];
      const paid = Promise.all(made.map((order) => client.pay(order)));
      // It is awaited below, when there is room for both.
      paid.catch(() => undefined);
      await sleep(TIGHTENED_MS * pace.factor);
      await putInForce(stage, wallet.appId, usual);
      await paid;
      orders.push(...made);
      return (await denials(stage)) > before;
    },
    happened: denials,
  };
};
