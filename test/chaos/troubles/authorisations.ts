import { Wallet as EthersWallet, ZeroAddress } from 'ethers';
import { EVM_NETWORKS, type NetworkName } from '../networks/names.js';
import { oneOf, URGENT_FEES, type TroubleKind } from './trouble.js';

/** Creates an empty contract, which uses a nonce of the account that runs it. */
const CREATING = '0x600060006000f05000';

/**
 * Authorisations (EIP-7702) of a wallet's account that other accounts send, which use its nonce without a transaction of its own.
 * Code that the account delegated to then uses nonces that no transaction names, until the delegation ends.
 */
export const authorisations = (): TroubleKind<'authorisations'> => {
  const sent: {
    readonly network: NetworkName;
    readonly hash: string;
    readonly address: string;
    readonly nonce: number;
  }[] = [];
  const code = EthersWallet.createRandom().address;
  return {
    name: 'authorisations',
    networks: EVM_NETWORKS,
    everyMs: 900,
    async prepare({ chains }) {
      for (const { anvil } of chains.evm) await anvil.call('anvil_setCode', code, CREATING);
    },
    async make({ chains, keys, random }, network) {
      const { anvil } = chains.evmNamed(network)!;
      const address = oneOf([...keys.keys()], random);
      if (address === undefined) return false;
      const nonce = await anvil.provider.getTransactionCount(address, random() < 0.7 ? 'latest' : 'pending');
      const holder = new EthersWallet(keys.get(address)!);
      const delegate = random() < 0.5 ? code : ZeroAddress;
      const authorization = await holder.authorize({ address: delegate, nonce, chainId: anvil.chainId });
      // The call to the account runs its code, if it has any.
      const request = {
        type: 4,
        to: address,
        authorizationList: [authorization],
        chainId: anvil.chainId,
        gasLimit: 300_000,
        ...URGENT_FEES,
      };
      const hash = await anvil
        .rich()
        .sendTransaction(request)
        .then((each) => each.hash)
        .catch(() => null);
      if (hash === null) return false;
      sent.push({ network, hash, address, nonce });
    },
    /** Those that used the nonce: the account's count moved past it in their block, in which no transaction of the account has it. */
    async happened({ chains }, name) {
      const network = chains.evmNamed(name)!;
      const { provider } = network.anvil;
      let count = 0;
      for (const { hash, address, nonce } of await network.landedOf(sent.filter((each) => each.network === name))) {
        const { blockNumber } = (await provider.getTransactionReceipt(hash))!;
        const [before, after] = await Promise.all(
          [blockNumber - 1, blockNumber].map((block) => provider.getTransactionCount(address, block)),
        );
        const block = (await provider.getBlock(blockNumber, true))!;
        const isOwn = block.prefetchedTransactions.some((each) => each.from === address && each.nonce === nonce);
        if (before! <= nonce && nonce < after! && !isOwn) count += 1;
      }
      return count;
    },
  };
};
