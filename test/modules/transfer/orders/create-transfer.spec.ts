import { Chains } from '../../../../src/kernel/chain/chain.js';
import { InvalidDestination } from '../../../../src/kernel/chain/chain.errors.js';
import { newId } from '../../../../src/kernel/ids.js';
import { CreateTransfer } from '../../../../src/modules/transfer/orders/application/create-transfer.js';

const [SOURCE, TOKEN, RESERVED] = ['source', 'token', 'reserved'];

describe('a transfer', () => {
  const wallet = { id: newId('wallet'), userId: newId('user'), walletType: 'ethereum', publicAddress: SOURCE };
  const asset = { chain: 'ethereum', name: 'usdc', symbol: 'USDC', decimals: 6, token: TOKEN };
  const chain = {
    name: 'ethereum',
    native: { ...asset, token: null },
    address: (text: string) => text,
    isReserved: (address: string) => address === RESERVED,
  };
  const [quoted, opened] = [jest.fn(async () => ({ wallet })), jest.fn(() => Promise.reject(new Error('judged')))];
  const create = new CreateTransfer(
    {} as never,
    {} as never,
    new Chains([chain as never]),
    {} as never,
    { named: async () => asset } as never,
    { quoted } as never,
    { open: opened } as never,
    {} as never,
    {} as never,
    {} as never,
  );
  const to = (dest: string) =>
    create.execute(newId('app'), {
      keyId: 'key',
      binding: null,
      source: wallet.id,
      sourceCurrency: 'usdc',
      amountIncludesFees: false,
      allowHighFee: false,
      dest,
      amount: '1',
      customId: null,
      notes: '',
    });

  it.each([SOURCE, TOKEN, RESERVED])(
    'to its %s is refused before policies judge it, because it would be lost',
    async (dest) => {
      await expect(to(dest)).rejects.toThrow(InvalidDestination);
      expect(opened).not.toHaveBeenCalled();
    },
  );

  it('to another address is judged', async () => {
    await expect(to('friend')).rejects.toThrow('judged');
  });
});
