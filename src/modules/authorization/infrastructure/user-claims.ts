import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { UserNotFound, UserProfiles } from '../../identity/index.js';

@Injectable()
export class UserClaims {
  constructor(private readonly profiles: UserProfiles) {}

  async of(appId: AppId, userId: UserId): Promise<Record<string, unknown> | null> {
    const profile = await this.profiles.get(appId, userId).catch((error: unknown) => {
      if (error instanceof UserNotFound) return null;
      throw error;
    });
    if (!profile?.active) return null;
    const { firstName, middleName, lastName, emails, phoneNumbers, parts, updatedAt } = profile;
    // A proved address goes first, then the oldest one.
    const email = emails.find(({ verified }) => verified) ?? emails[0];
    const phone = phoneNumbers.find(({ verified }) => verified) ?? phoneNumbers[0];
    const claims = {
      sub: userId,
      name: [firstName, middleName, lastName].filter(Boolean).join(' '),
      given_name: firstName,
      middle_name: middleName,
      family_name: lastName,
      updated_at: updatedAt,
      ...(email && { email: email.email, email_verified: email.verified }),
      ...(phone && { phone_number: phone.phoneNumber, phone_number_verified: phone.verified }),
      wallets: (parts['wallets'] ?? []).map(walletOf),
    };
    return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== '' && value !== null));
  }
}

function walletOf(wallet: object) {
  const { id, wallet_type, public_address } = wallet as Record<string, unknown>;
  return { wallet_id: id, wallet_type, public_address };
}
