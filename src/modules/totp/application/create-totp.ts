import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type AppId, newId, type TotpId, type UserId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade, type UserProfile, UserProfiles } from '../../identity/index.js';
import { base32, keyUri, QrCodes } from '../domain/one-time-codes.js';
import { mintRecoveryCodes, SECRET_BYTES, TotpRepository } from '../domain/totp.js';
import { ActiveTotpExists } from '../domain/totp.errors.js';
import { TotpSecrets } from './totp-secrets.js';

/** A new enrolment with its secrets, which are shown only once. */
export interface CreatedTotp {
  readonly id: TotpId;
  readonly userId: UserId;
  /** Base32, for an authenticator app that cannot scan. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The QR code as a PNG image. */
  readonly qrCode: Buffer;
}

@Injectable()
export class CreateTotp {
  constructor(
    private readonly identity: IdentityFacade,
    private readonly profiles: UserProfiles,
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
    private readonly qrCodes: QrCodes,
    private readonly transactions: Transactions,
  ) {}

  /** Begins an enrolment and ends any other pending one. The first code that is verified within `minutes` activates it. */
  async execute(
    app: { readonly id: AppId; readonly name: string },
    userId: UserId,
    minutes: number,
  ): Promise<CreatedTotp> {
    const account = accountOf(await this.profiles.get(app.id, userId));
    const id = newId('totp');
    const secret = randomBytes(SECRET_BYTES);
    const recoveryCodes = mintRecoveryCodes();
    const sealed = this.secrets.seal({ appId: app.id, id }, secret, recoveryCodes);
    await this.transactions.run(async () => {
      // The user is locked first and then the authenticator, as in every transaction that locks both.
      await this.identity.holdActive(app.id, userId);
      if (!(await this.totps.enrol({ appId: app.id, id, userId, ...sealed }, minutes))) throw new ActiveTotpExists();
    });
    const text = base32(secret);
    const qrCode = this.qrCodes.png(keyUri({ issuer: app.name, account, secret: text }));
    return { id, userId, secret: text, recoveryCodes, qrCode };
  }
}

/** The account name in the authenticator app. */
function accountOf({ emails, phoneNumbers, userId }: UserProfile): string {
  return emails[0]?.email ?? phoneNumbers[0]?.phoneNumber ?? userId;
}
