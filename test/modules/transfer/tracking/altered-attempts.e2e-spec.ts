import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { eventually } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0', TRANSFER_BUMP_AFTER_SECONDS: '60' },
  });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

async function track({ app }: Payer, id: string): Promise<void> {
  await money.app.nest.get(TrackTransfer, { strict: false }).execute(app.id as AppId, id as TransferId);
}

async function signedBy({ address }: Payer): Promise<number> {
  return (await observer.rows('select from transfer_attempts where address = $1', [address])).length;
}

describe('a payment whose signed transaction was altered by SQL', () => {
  it.each([
    ['ethereum', 'taken away', `update transfer_attempts set transfer_id = null where transfer_id = $1`],
    ['ethereum', 'of another nonce', `update transfer_attempts set nonce = nonce + 1 where transfer_id = $1`],
    [
      'ethereum',
      'another one',
      `update transfer_attempts set nonce = nonce + 1, hash = '0x' || repeat('ab', 32) where transfer_id = $1`,
    ],
    ['ethereum', 'cheaper', `update transfer_attempts set max_fee = 1 where transfer_id = $1`],
    ['solana', 'taken away', `update transfer_attempts set transfer_id = null where transfer_id = $1`],
  ] as const)('is not signed again, and says why: on %s, %s', async (chain: WalletType, _, statement) => {
    const payer = await money.payer(chain);
    money.solana.fate = () => 'hold';
    await money.withoutTracker(async () => {
      const { id } = await money.created(payer);
      expect((await money.confirm(payer, id)).body.status).toBe('pending');
      await observer.rows(statement, [id]);
      await observer.age(id, 61);
      await track(payer, id);
      expect(await signedBy(payer)).toBe(1);
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stuck_reason: 'row_altered' });
    });
  });

  it('is not called cancelled while its transaction may be carried out', async () => {
    const payer = await money.payer('solana');
    money.solana.fate = () => 'hold';
    await money.withoutTracker(async () => {
      const { id } = await money.created(payer);
      await money.confirm(payer, id);
      await observer.rows('update transfer_attempts set transfer_id = null where transfer_id = $1', [id]);
      await money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
      await track(payer, id);
      expect(await money.get(payer, id)).toMatchObject({ status: 'pending', stuck_reason: 'row_altered' });
    });
  });
});

describe('a payment whose signed transaction is as it was signed', () => {
  it('is replaced with higher fees, and completes', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    await money.confirm(payer, id);
    await observer.age(id, 61);
    await eventually(async () => {
      await money.look();
      expect(await signedBy(payer)).toBe(2);
    });
    await money.anvil.mine();
    await eventually(async () => {
      await money.look();
      expect(await money.get(payer, id)).toMatchObject({ status: 'completed' });
    });
  });
});
