import { Injectable } from '@nestjs/common';
import type { AppId, WalletRegistrationId } from '../../../../kernel/ids.js';
import { type SessionArguments, SessionFacade } from '../../../session/index.js';
import { InvalidPublicAddress, InvalidWalletSignature } from '../../domain/login/registration.errors.js';
import { RegistrationRepository } from '../../domain/login/registration.repository.js';
import { MOST_OPEN_REGISTRATIONS } from '../../domain/login/registration.js';
import { SignatureVerifier } from '../../domain/login/signature-verifier.js';
import { CHAIN_NAMES, type ChainName } from '../../../../kernel/chain/chain-name.js';
import { SignInWithWallet, type VerifiedWallet } from './sign-in-with-wallet.js';

/** Which challenge was signed: the one of this id, or any of this address. */
export interface ClaimedWallet {
  readonly id?: WalletRegistrationId;
  readonly walletType?: ChainName;
  readonly publicAddress?: string;
}

/**
 * A signature does not name its text, so challenges of the address are tried: all of sign-ins and of the user of the session, of which
 * twice `MOST_OPEN_REGISTRATIONS` are open at most, then as many that attach the wallet to other users. By its id any is found.
 */
const CANDIDATES = 6 * MOST_OPEN_REGISTRATIONS;

@Injectable()
export class VerifyChallenge {
  constructor(
    private readonly sessions: SessionFacade,
    private readonly registrations: RegistrationRepository,
    private readonly verifier: SignatureVerifier,
    private readonly signIn: SignInWithWallet,
  ) {}

  /** Accepts a signature on an open challenge, once. The session arguments are looked at first. */
  async execute(
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
    const index = await this.verifier.signed(appId, first.walletType, first.publicAddress, challenges, signature);
    if (index === null) throw new InvalidWalletSignature();
    return this.signIn.execute(candidates[index]!, intent);
  }

  private addressOf({ walletType, publicAddress }: ClaimedWallet): string | undefined {
    if (publicAddress === undefined) return undefined;
    const types = walletType === undefined ? CHAIN_NAMES : [walletType];
    const address = types.map((type) => this.verifier.address(type, publicAddress)).find((found) => found !== null);
    if (address === undefined) throw new InvalidPublicAddress(walletType);
    return address!;
  }
}
