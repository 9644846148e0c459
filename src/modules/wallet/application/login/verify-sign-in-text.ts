import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../../kernel/ids.js';
import { type SessionArguments, SessionFacade } from '../../../session/index.js';
import { InvalidSiweChallenge, InvalidWalletSignature } from '../../domain/login/registration.errors.js';
import { RegistrationRepository } from '../../domain/login/registration.repository.js';
import { faultOfTimes, readSignInText, type SignInText } from '../../domain/login/sign-in-text.js';
import { SignInSettings } from '../../domain/login/sign-in-settings.js';
import { SignatureVerifier } from '../../domain/login/signature-verifier.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { SignInWithWallet, type VerifiedWallet } from './sign-in-with-wallet.js';
import type { ClaimedWallet } from './verify-challenge.js';

@Injectable()
export class VerifySignInText {
  constructor(
    private readonly sessions: SessionFacade,
    private readonly registrations: RegistrationRepository,
    private readonly verifier: SignatureVerifier,
    private readonly signIn: SignInWithWallet,
    private readonly settings: SignInSettings,
  ) {}

  /**
   * Accepts a signature on a sign-in text (EIP-4361, or its Solana sister) that is meant for the app and holds an open
   * nonce of the address, once. The session arguments are looked at first.
   */
  async execute(
    app: { readonly id: AppId; readonly allowedOrigins: readonly string[] },
    claimed: ClaimedWallet,
    { text, signature }: { readonly text: string; readonly signature: string },
    asked: SessionArguments,
  ): Promise<VerifiedWallet> {
    const said = readSignInText(text);
    if (!said) throw new InvalidSiweChallenge('is not a text of EIP-4361 or Sign-In With Solana.');
    const { walletType, address, nonce } = said;
    this.refuseUnlessMeantForUs(said, app.allowedOrigins);
    if (!this.isAsClaimed(said, claimed)) throw new InvalidSiweChallenge('names another wallet than the request.');

    const intent = await this.sessions.resolve(app.id, asked);
    const clues = { id: claimed.id, publicAddress: address, nonce };
    const [registration] = await this.registrations.findOpen(app.id, 'nonce', clues, 1);
    if (!registration) throw new InvalidWalletSignature();
    const fault = faultOfTimes(said, { nonceMadeAt: registration.createdAt, now: registration.asOf });
    if (fault) throw new InvalidSiweChallenge(`${fault}.`);
    if ((await this.verifier.signed(app.id, walletType, address, [text], signature)) === null)
      throw new InvalidWalletSignature();
    return this.signIn.execute(registration, intent);
  }

  private refuseUnlessMeantForUs(said: Said, allowedOrigins: readonly string[]): void {
    const origins = allowedOrigins.map((origin) => new URL(origin));
    const isAllowed = origins.some(
      ({ host, protocol }) => host === said.domain && protocol === `${said.scheme ?? protocol.slice(0, -1)}:`,
    );
    if (!isAllowed) throw new InvalidSiweChallenge('is for a domain that is not among the allowed origins of the app.');
    const { signInChainIds } = this.settings;
    if (said.walletType === 'ethereum' && !signInChainIds.some((id) => said.chainId === String(id))) {
      throw new InvalidSiweChallenge(`must be for the chain ${signInChainIds.join(' or ')}.`);
    }
    if (this.verifier.address(said.walletType, said.address) !== said.address) {
      throw new InvalidSiweChallenge('holds an address without its checksum, or none there is.');
    }
  }

  private isAsClaimed(
    said: Said,
    { walletType = said.walletType, publicAddress = said.address }: ClaimedWallet,
  ): boolean {
    return walletType === said.walletType && this.verifier.address(walletType, publicAddress) === said.address;
  }
}

type Said = { readonly walletType: ChainName } & SignInText;
