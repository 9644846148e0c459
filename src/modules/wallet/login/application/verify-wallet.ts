import { Injectable } from '@nestjs/common';
import type { AppId, WalletRegistrationId } from '../../../../kernel/ids.js';
import { type SessionArguments, SessionFacade } from '../../../session/index.js';
import {
  EthereumNodeUnavailable,
  InvalidPublicAddress,
  InvalidWalletSignature,
  RegistrationRepository,
  MOST_OPEN_REGISTRATIONS,
  InvalidSiweChallenge,
} from '../domain/registration.js';
import {
  type ClaimedSigner,
  SignatureVerifier,
  faultOfTimes,
  readSignInText,
  type SignInText,
  SignInSettings,
} from '../domain/sign-in-text.js';
import { WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import type { ConfiguredNetwork } from '../../../../kernel/chain/networks.js';
import { AppsFacade } from '../../../apps/index.js';
import { StepUpRequired } from '../../../identity/index.js';
import { DuplicateWallet, TooManyWallets } from '../../wallets/domain/wallet.errors.js';
import { WalletRepository } from '../../wallets/domain/wallet.repository.js';
import { SignInWithWallet, type VerifiedWallet } from './sign-in-with-wallet.js';

export interface ClaimedWallet {
  readonly id?: WalletRegistrationId;
  readonly walletType?: WalletType;
  readonly publicAddress?: string;
}

/** A signature does not name its text. Sign-ins, the session's user and others each have at most twice `MOST_OPEN_REGISTRATIONS` tries. */
const CANDIDATES = 6 * MOST_OPEN_REGISTRATIONS;

@Injectable()
export class VerifyWallet {
  static readonly refusals = [
    ...SessionFacade.refusals,
    StepUpRequired,
    InvalidWalletSignature,
    DuplicateWallet,
    TooManyWallets,
    EthereumNodeUnavailable,
  ];

  constructor(
    private readonly sessions: SessionFacade,
    private readonly registrations: RegistrationRepository,
    private readonly wallets: WalletRepository,
    private readonly verifier: SignatureVerifier,
    private readonly signIn: SignInWithWallet,
    private readonly apps: AppsFacade,
    private readonly settings: SignInSettings,
  ) {}

  /** A challenge is accepted once. The session arguments are checked first. */
  async challenge(
    appId: AppId,
    claimed: ClaimedWallet,
    signature: string,
    asked: SessionArguments,
  ): Promise<VerifiedWallet> {
    const publicAddress = this.addressOf(claimed);
    const intent = await this.sessions.resolve(appId, asked);
    const clues = { id: claimed.id, publicAddress, userId: intent.userId ?? undefined };
    const open = await this.registrations.findOpen(appId, 'challenge', clues, CANDIDATES);
    const candidates = open.filter(({ walletType }) => walletType === (claimed.walletType ?? walletType));
    const [first] = candidates;
    if (!first) throw new InvalidWalletSignature();
    const challenges = candidates.map(({ challenge }) => challenge);
    const signer = { appId, walletType: first.walletType, address: first.publicAddress };
    const { index, contractNetwork } = await this.signed(
      signer,
      await this.apps.networks(appId),
      challenges,
      signature,
    );
    return this.signIn.execute(candidates[index]!, intent, contractNetwork);
  }

  /** The text (EIP-4361 or its Solana variant) must be meant for the app and hold an open nonce of the address. */
  async signInText(
    app: { readonly id: AppId; readonly allowedOrigins: readonly string[] },
    claimed: ClaimedWallet,
    { text, signature }: { readonly text: string; readonly signature: string },
    asked: SessionArguments,
  ): Promise<VerifiedWallet> {
    const said = readSignInText(text);
    if (!said) throw new InvalidSiweChallenge('is not a text of EIP-4361 or Sign-In With Solana.');
    const { walletType, address, nonce } = said;
    this.refuseUnlessMeantForUs(said, app.allowedOrigins);
    const networks = await this.networksOf(app.id, said);
    if (!this.isAsClaimed(said, claimed)) throw new InvalidSiweChallenge('names another wallet than the request.');

    const intent = await this.sessions.resolve(app.id, asked);
    const clues = { id: claimed.id, publicAddress: address, nonce };
    const [registration] = await this.registrations.findOpen(app.id, 'nonce', clues, 1);
    if (!registration) throw new InvalidWalletSignature();
    const fault = faultOfTimes(said, { nonceMadeAt: registration.createdAt, now: registration.asOf });
    if (fault) throw new InvalidSiweChallenge(`${fault}.`);
    const signer = { appId: app.id, walletType, address };
    const { contractNetwork } = await this.signed(signer, networks, [text], signature);
    return this.signIn.execute(registration, intent, contractNetwork);
  }

  /** Once a contract has proved the address, only its network is asked. */
  private async signed(
    signer: Omit<ClaimedSigner, 'networks'>,
    enabled: readonly ConfiguredNetwork[],
    messages: readonly string[],
    signature: string,
  ): Promise<{ readonly index: number; readonly contractNetwork: string | null }> {
    const networks = async () => {
      const known = (await this.wallets.findLogin(signer.appId, signer.address))?.contractNetwork ?? null;
      return enabled.filter(({ id }) => known === null || id === known).map(({ name }) => name);
    };
    const signed = await this.verifier.signed({ ...signer, networks }, messages, signature);
    if (!signed) throw new InvalidWalletSignature();
    const contractNetwork = enabled.find(({ name }) => name === signed.network)?.id ?? null;
    return { index: signed.index, contractNetwork };
  }

  private addressOf({ walletType, publicAddress }: ClaimedWallet): string | undefined {
    if (publicAddress === undefined) return undefined;
    const types = walletType === undefined ? WALLET_TYPES : [walletType];
    const address = types.map((type) => this.verifier.address(type, publicAddress)).find((found) => found !== null);
    if (address === undefined) throw new InvalidPublicAddress(walletType);
    return address!;
  }

  private refuseUnlessMeantForUs(said: Said, allowedOrigins: readonly string[]): void {
    const origins = allowedOrigins.map((origin) => new URL(origin));
    const isAllowed = origins.some(
      ({ host, protocol }) => host === said.domain && protocol === `${said.scheme ?? protocol.slice(0, -1)}:`,
    );
    if (!isAllowed) throw new InvalidSiweChallenge('is for a domain that is not among the allowed origins of the app.');
    if (this.verifier.address(said.walletType, said.address) !== said.address) {
      throw new InvalidSiweChallenge('holds an address without its checksum, or none there is.');
    }
  }

  private async networksOf(appId: AppId, { walletType, chainId }: Said): Promise<readonly ConfiguredNetwork[]> {
    if (walletType !== 'ethereum' || this.settings.signInChainIds.some((id) => chainId === String(id))) return [];
    if (!/^[1-9]\d{0,15}$/.test(String(chainId))) throw new InvalidSiweChallenge('names no chain id.');
    return [await this.apps.requireNetwork(appId, `eip155:${chainId}`, 'siwe_challenge')];
  }

  private isAsClaimed(
    said: Said,
    { walletType = said.walletType, publicAddress = said.address }: ClaimedWallet,
  ): boolean {
    return walletType === said.walletType && this.verifier.address(walletType, publicAddress) === said.address;
  }
}

type Said = { readonly walletType: WalletType } & SignInText;
