import { Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { type AppId, isId, type UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import {
  type Factor,
  InvalidSession,
  type IssuedSession,
  type SessionArguments,
  SessionFacade,
} from '../../session/index.js';
import { InvalidOtp, OtpAttemptsExceeded } from '../domain/otp.errors.js';
import { codeContext, type MethodId } from '../domain/passcode.js';
import { PasscodeRepository, type TriedPasscode } from '../domain/passcode.repository.js';

/** A user who knew the passcode. */
export interface VerifiedPasscode {
  readonly userId: UserId;
  readonly methodId: MethodId;
  readonly session: IssuedSession | null;
}

@Injectable()
export class VerifyPasscode {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly sessions: SessionFacade,
    private readonly passcodes: PasscodeRepository,
    private readonly vault: Vault,
    private readonly tries: WrongTries,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Looks at the session arguments, counts the try, compares, and then spends the passcode, takes it as proof of the
   * address and adds the factor together. No later refusal takes the count back (CVE-2025-64102).
   */
  async execute(
    appId: AppId,
    { methodId, code }: { readonly methodId: MethodId; readonly code: string },
    asked: SessionArguments,
  ): Promise<VerifiedPasscode> {
    const intent = await this.sessions.resolve(appId, asked);
    const { limits } = await this.apps.settings(appId);
    const passcode = await this.passcodes.beginTry(appId, methodId, intent.userId);
    if (!passcode) throw new InvalidOtp();
    const { userId, address } = passcode;
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    // Before the user's tries: however often a dead code is tried, it locks nobody out.
    if (passcode.tries > limits.wrongTriesPerCode) throw new OtpAttemptsExceeded();
    const attempt = await this.tries.begin(appId, userId);
    if (!this.isRight(code, passcode)) throw new InvalidOtp();

    const verified = await this.transactions.run(async () => {
      await this.tries.giveBack(attempt);
      // Returned, not thrown: somebody was first with the right code, which is no wrong try.
      if (!(await this.passcodes.spend(passcode))) return null;
      const prover = { sessionUserId: intent.userId ?? undefined };
      const proven = isId('email', methodId)
        ? await this.identity.proveEmail(appId, address, prover)
        : await this.identity.provePhone(appId, address, prover);
      // The address was taken from its user since, so the passcode that went there is as good as never sent.
      if (proven.contactId !== methodId) throw new InvalidOtp();
      const session = await this.sessions.addFactor(appId, intent, proven.userId, factorOf(methodId, address));
      return { userId: proven.userId, methodId, session };
    });
    if (!verified) throw new InvalidOtp();
    return verified;
  }

  private isRight(code: string, { appId, methodId, sealedCode }: TriedPasscode): boolean {
    return timingSafeEqual(Buffer.from(code), this.vault.open(sealedCode, codeContext(appId, methodId)));
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
