import { parseEther } from 'ethers';
import { eventually } from '../../../support/eventually.js';
import { Money } from '../../../support/money.js';
import { RuledNode } from '../../../support/ruled-node.js';

describe('a sequencer that accepts transactions and includes none', () => {
  it('keeps a transfer pending and stuck, and never lets it fail', async () => {
    const node = await RuledNode.start('arbitrum', 42_161);
    const env = {
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_STUCK_AFTER_SECONDS: '1',
      TRANSFER_BUMP_AFTER_SECONDS: '1',
    };
    const money = await Money.start({ network: { node, kind: 'arbitrum' }, env });
    try {
      const payer = await money.payer('ethereum');
      node.isStalled = true;
      const { id } = await money.created(payer);
      expect((await money.confirm(payer, id)).status).toBe(200);
      await eventually(async () => {
        await money.look();
        const { status, stuck_reason, attempts } = await money.get(payer, id);
        expect({ status, stuck_reason }).toEqual({ status: 'pending', stuck_reason: 'sequencer_or_node_down' });
        // Replacements are accepted and included as little.
        expect(attempts.length).toBeGreaterThan(1);
      });
      await node.mine(100);
      await money.look();
      expect((await money.get(payer, id)).status).toBe('pending');
      await money.withoutTracker(() => node.resume());
      await money.look();
      const { total_fees, fees } = await money.become(payer, id, 'completed');
      expect(fees).toEqual({ network: total_fees, l1: '0', operator: '0' });
      const lost = parseEther('10') - (await money.balance('ethereum', payer.address));
      expect(lost).toBe(parseEther('0.5') + parseEther(total_fees));
    } finally {
      await money.stop();
      await node.stop();
    }
  });
});
