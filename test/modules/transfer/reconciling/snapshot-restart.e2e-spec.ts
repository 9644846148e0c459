import { RestorablePostgres } from '../../../chaos/restores/restorable-postgres.js';
import { signRows } from '../../../support/row-macs.js';
import { eventually } from '../../../support/eventually.js';
import { ETH, Money, newAddress } from '../../../support/money.js';

// The whole database server is lost and comes back older, while the service goes on. The wallet's key may be used elsewhere.
const AMOUNT = ETH / 2n;

describe('a payment of an imported wallet that the database has forgotten', () => {
  it.each([
    ['a snapshot of the volume', false],
    ['an archive', true],
  ])('is made once when %s is brought back, also when it is ordered again', async (_, isArchive) => {
    const postgres = await RestorablePostgres.start();
    const money = await Money.start({ databaseUrl: postgres.url });
    try {
      const payer = await money.payer('ethereum');
      await postgres.ask((client) =>
        client.query('update wallets set is_imported = true where id = $1', [payer.walletId]),
      );
      await signRows(money.app, 'wallets');
      const first = await money.created(payer);
      await money.confirm(payer, first.id);
      await money.become(payer, first.id, 'completed');
      const known = await money.created(payer);
      const copy = await postgres.backUp();
      const order = { dest: newAddress('ethereum'), custom_id: 'order' };
      for (const { id } of [known, await money.created(payer, order)]) {
        await money.confirm(payer, id);
        await money.become(payer, id, 'completed');
      }
      await postgres.restore(copy, isArchive);

      const confirmed = (id: string) =>
        eventually(async () => {
          const { status, text } = await money.confirm(payer, id);
          if (status !== 200) throw new Error(text);
        });
      await confirmed(known.id);
      await money.become(payer, known.id, 'completed');
      const again = await money.created(payer, order);
      expect(again.status).toBe('unconfirmed');
      await confirmed(again.id);
      await eventually(async () => {
        const { status, stuck_reason } = await money.get(payer, again.id);
        if (status !== 'completed' && stuck_reason !== 'books_behind_chain') throw new Error(status);
      });
      for (const dest of [known.dest, order.dest]) expect(await money.balance('ethereum', dest)).toBe(AMOUNT);
    } finally {
      await money.stop();
      await postgres.stop();
    }
  });
});
