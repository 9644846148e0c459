import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { AppId } from '../../../../kernel/ids.js';

/** Reads addresses, and verifies signatures made elsewhere. */
export abstract class SignatureVerifier {
  /** The address in the form in which equal ones are the same text; null for a text that is no address, or to which no key can belong. */
  abstract address(walletType: ChainName, text: string): string | null;

  /**
   * Which of these messages the holder of the address signed; null when none. Ethereum: EIP-191 by the address's own key,
   * or, where a node is configured, a signature that the contract at the address accepts (EIP-1271). Solana: Ed25519 over the
   * bytes of the text. May ask the network, within the app's bound. Throws `EthereumNodeUnavailable`, `TooManyRequests`.
   */
  abstract signed(
    appId: AppId,
    walletType: ChainName,
    address: string,
    messages: readonly string[],
    signature: string,
  ): Promise<number | null>;
}
