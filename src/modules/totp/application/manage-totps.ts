import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type AppId, newId, type TotpId, type UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import {
  type CallerSession,
  IdentityFacade,
  type Remover,
  UserNotFound,
  type UserProfile,
  UserProfiles,
} from '../../identity/index.js';
import { InvalidSession } from '../../session/index.js';
import { base32 } from '../../../kernel/base32.js';
import { keyUri, QrCodes } from '../domain/key-uri.js';
import { mintRecoveryCodes, SECRET_BYTES, TotpRepository } from '../domain/totp.js';
import { ActiveTotpExists, TotpNotFound } from '../domain/totp.errors.js';
import { TotpDeleted } from '../domain/totp.events.js';
import { TotpSecrets } from './totp-secrets.js';

/** Its secrets are shown only once. */
export interface CreatedTotp {
  readonly id: TotpId;
  readonly userId: UserId;
  /** Base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly qrCode: Buffer;
}

export interface UnusedRecoveryCodes {
  readonly id: TotpId;
  readonly isActive: boolean;
  readonly recoveryCodes: readonly string[];
}

@Injectable()
export class ManageTotps {
  constructor(
    private readonly identity: IdentityFacade,
    private readonly profiles: UserProfiles,
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
    private readonly qrCodes: QrCodes,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** Ends any other pending enrolment. The first verified code within `minutes` activates it. */
  async create(
    app: { readonly id: AppId; readonly name: string },
    userId: UserId,
    minutes: number,
  ): Promise<CreatedTotp> {
    const account = accountOf(await this.profiles.get(app.id, userId));
    await this.secrets.ready(app.id);
    const id = newId('totp');
    const secret = randomBytes(SECRET_BYTES);
    const recoveryCodes = mintRecoveryCodes();
    const sealed = this.secrets.seal({ appId: app.id, id }, secret, recoveryCodes);
    await this.transactions.run(async () => {
      // Lock order: the user, then the authenticator.
      await this.identity.holdActive(app.id, userId);
      if (!(await this.totps.enrol({ appId: app.id, id, userId, ...sealed }, minutes))) throw new ActiveTotpExists();
    });
    const text = base32(secret);
    const qrCode = this.qrCodes.png(keyUri({ issuer: app.name, account, secret: text }));
    return { id, userId, secret: text, recoveryCodes, qrCode };
  }

  /** A recovery code makes no session fresh for a while after this. Throws `StepUpRequired` in a session that is not fresh. */
  async recoveryCodes(
    appId: AppId,
    userId: UserId,
    session: CallerSession | null,
  ): Promise<UnusedRecoveryCodes | null> {
    const { owner, totp } = await this.totps.ofUser(appId, userId);
    if (owner === 'unknown') throw new UserNotFound();
    if (session && session.userId !== userId) throw new InvalidSession();
    if (!totp) return null;
    await this.secrets.ready(appId);
    // The reader of the codes of a pending enrolment could use them once its user has confirmed it.
    if (totp.isActive) await this.identity.requireFresh(appId, userId, session);
    else if (session) await this.identity.requireMayAdd(appId, userId, session);
    await this.totps.recordReading(appId, totp.id);
    const { id, isActive, usedRecoveryCodes } = totp;
    const recoveryCodes = this.secrets
      .recoveryCodesOf(totp)
      .filter((_, position) => !usedRecoveryCodes.includes(position));
    return { id, isActive, recoveryCodes };
  }

  async delete(appId: AppId, id: TotpId, remover: Remover, ofUser?: UserId): Promise<UserId> {
    const userId = await this.totps.ownerOf(appId, id);
    if (!userId || (ofUser !== undefined && userId !== ofUser)) throw new TotpNotFound();
    await this.identity.removeSignInMethod(appId, userId, { type: 'totp', id }, remover, async () => {
      if (!(await this.totps.remove(appId, id))) throw new TotpNotFound();
      await this.events.publish(new TotpDeleted(appId, id, userId));
    });
    return userId;
  }
}

function accountOf({ emails, phoneNumbers, userId }: UserProfile): string {
  return emails[0]?.email ?? phoneNumbers[0]?.phoneNumber ?? userId;
}
