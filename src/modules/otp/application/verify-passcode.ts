import { Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { type AppId, isId, type UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Vault } from '../../../kernel/vault.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade, ProveAddress, StepUpRequired } from '../../identity/index.js';
import {
  AddressOfOtherAccount,
  type Factor,
  InvalidSession,
  type SessionArguments,
  SessionFacade,
  type VerifiedUser,
} from '../../session/index.js';
import {
  InvalidOtp,
  OtpAttemptsExceeded,
  codeContext,
  faultOf,
  hashOfCode,
  type MethodId,
  PasscodeRepository,
  type TriedPasscode,
} from '../domain/passcode.js';

export interface VerifiedPasscode extends VerifiedUser {
  readonly userId: UserId;
  readonly methodId: MethodId;
}

@Injectable()
export class VerifyPasscode {
  static readonly refusals = [StepUpRequired, InvalidOtp, OtpAttemptsExceeded, ...SessionFacade.refusals];

  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly proof: ProveAddress,
    private readonly sessions: SessionFacade,
    private readonly passcodes: PasscodeRepository,
    private readonly vault: Vault,
    private readonly tokens: SecretTokens,
    private readonly tries: WrongTries,
    private readonly transactions: Transactions,
  ) {}

  /** The try is counted before the comparison, and no later refusal takes it back (CVE-2025-64102). */
  async execute(
    appId: AppId,
    { methodId, code }: { readonly methodId: MethodId; readonly code: string },
    sessionArguments: SessionArguments,
  ): Promise<VerifiedPasscode> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    const { limits } = await this.apps.settings(appId);
    // The keys are ready before the try is counted. During a move between key providers the try may count although the code does not open.
    await this.vault.ready(appId);
    const passcode = await this.passcodes.beginTry(appId, methodId, intent.userId);
    const kind = isId('email', methodId) ? 'email' : 'phone_number';
    if (!passcode) throw new InvalidOtp(await this.identity.holderOf(appId, kind, methodId), { reason: 'none_sent' });
    const { userId, address } = passcode;
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    const carried = this.sessions.carriedBy(appId, intent);
    // The try is not counted yet. The transaction decides.
    if (carried && !passcode.isProved) await this.identity.requireMayAdd(appId, userId, carried);
    const refused = () => new InvalidOtp(userId, faultOf(hashOfCode(this.tokens, appId, methodId, code), passcode));
    // Tries of a void code must not lock the user or the address, so these checks precede the count.
    if (passcode.isLive && passcode.tries > limits.wrongTriesPerCode) throw new OtpAttemptsExceeded(userId);
    // The user of an unverified address may have nothing to do with its owner: neither locks the codes of the other.
    const whose = passcode.isProved ? userId : this.identity.address(kind, address);
    if (!passcode.isLive) {
      await this.tries.requireUnlocked(appId, whose);
      throw refused();
    }
    const attempt = await this.tries.begin(appId, whose, sessionArguments.deviceFingerprint?.ip);
    if (!this.isRight(code, passcode)) throw refused();

    const signIn = async (): Promise<VerifiedPasscode | null> => {
      this.tries.giveBack(attempt);
      // Returned instead of thrown, to commit: another call spent the same right code first, which is no wrong try.
      if (!(await this.passcodes.spend(passcode))) return null;
      const prover = { session: carried };
      const proven =
        kind === 'email'
          ? await this.proof.email(appId, address, prover)
          : await this.proof.phoneNumber(appId, address, prover);
      // The address has moved to another user since, so this passcode no longer proves anything.
      if (proven.contactId !== methodId) throw new InvalidOtp(userId);
      const factor = factorOf(methodId, address);
      const session = await this.sessions.addFactor(appId, intent, proven.userId, factor, proven);
      return { ...proven, methodId, session };
    };
    const verified = await this.transactions.run(signIn).catch(async (error: unknown) => {
      if (error instanceof AddressOfOtherAccount)
        await this.transactions.run(async () => {
          this.tries.giveBack(attempt);
          this.passcodes.giveBackTry(passcode);
        });
      throw error;
    });
    if (!verified) throw new InvalidOtp(userId, { reason: 'spent', endedSecondsAgo: 0 });
    return verified;
  }

  private isRight(code: string, { appId, methodId, sealedCode }: TriedPasscode): boolean {
    return timingSafeEqual(Buffer.from(code), this.vault.open(sealedCode!, codeContext(appId, methodId)));
  }
}

function factorOf(methodId: MethodId, address: string): Factor {
  return isId('email', methodId)
    ? { type: 'otp', deliveryChannel: 'email', method: { type: 'email', emailId: methodId, email: address } }
    : {
        type: 'otp',
        deliveryChannel: 'sms',
        method: { type: 'phone_number', phoneNumberId: methodId, phoneNumber: address },
      };
}
