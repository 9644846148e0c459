import { setTimeout as sleep } from 'node:timers/promises';
import { MANAGEMENT_KEY, type Wallet } from '../client.js';
import { oneOf, type Stage, type TroubleKind } from './trouble.js';

const DEACTIVATED_MS = 800;

/** A user is deactivated and reactivated while their wallet pays. */
export const users = (): TroubleKind<'users'> => {
  const set = ({ client }: Stage, { appId, userId }: Wallet, what: 'deactivate' | 'reactivate') =>
    client.insist('POST', `/management/v1/apps/${appId}/users/${userId}/${what}`, MANAGEMENT_KEY, {});
  return {
    name: 'users',
    everyMs: 2_500,
    async make(stage) {
      const wallet = oneOf(stage.wallets, stage.random)!;
      await set(stage, wallet, 'deactivate');
      await sleep(DEACTIVATED_MS * stage.pace.factor);
      await set(stage, wallet, 'reactivate');
    },
  };
};
