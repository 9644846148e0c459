import type { EmailId, PhoneNumberId, ProviderIdentityId, TotpId, UserId, WalletId } from '../../../kernel/ids.js';

interface EmailMethod {
  readonly type: 'email';
  readonly emailId: EmailId;
  readonly email: string;
}

interface PhoneNumberMethod {
  readonly type: 'phone_number';
  readonly phoneNumberId: PhoneNumberId;
  readonly phoneNumber: string;
}

interface OauthMethod {
  readonly type: 'oauth';
  readonly identityId: ProviderIdentityId;
  readonly providerSubject: string;
}

interface TotpMethod {
  readonly type: 'totp';
  readonly totpId: TotpId;
}

interface WalletMethod {
  readonly type: 'wallet';
  readonly walletId: WalletId;
  readonly walletType: string;
  readonly publicAddress: string;
}

/** An embedded link to a user who has neither email nor phone number. */
interface UserMethod {
  readonly type: 'user';
  readonly userId: UserId;
}

export type FactorMethod = EmailMethod | PhoneNumberMethod | OauthMethod | TotpMethod | WalletMethod | UserMethod;

/** One thing a user proved when signing in, as the module that checked it tells it. */
export type Factor =
  | { readonly type: 'otp'; readonly deliveryChannel: 'sms'; readonly method: PhoneNumberMethod }
  | { readonly type: 'otp'; readonly deliveryChannel: 'email'; readonly method: EmailMethod }
  | { readonly type: 'oauth'; readonly deliveryChannel: `${string}_oauth`; readonly method: OauthMethod }
  | { readonly type: 'magic_link'; readonly deliveryChannel: 'email'; readonly method: EmailMethod }
  | {
      readonly type: 'magic_link';
      readonly deliveryChannel: 'embedded';
      readonly method: EmailMethod | PhoneNumberMethod | UserMethod;
    }
  | {
      readonly type: 'totp';
      readonly deliveryChannel: 'totp_authenticator' | 'totp_recovery_code';
      readonly method: TotpMethod;
    }
  | { readonly type: 'wallet'; readonly deliveryChannel: 'eth_wallet' | 'sol_wallet'; readonly method: WalletMethod };

/** A factor as it is stored, answered and signed into JWTs: one shape everywhere, so no reader has to convert it. */
export interface FactorDocument {
  readonly delivery_channel: string;
  readonly type: string;
  readonly method: MethodFields & {
    readonly method_id: string;
    readonly method_type: string;
    /** Epoch seconds of the database's clock. */
    readonly last_verified_at: number;
  };
}

/** What a method has besides, by its type. */
interface MethodFields {
  readonly email_id?: string;
  readonly email?: string;
  readonly phone_number_id?: string;
  readonly phone_number?: string;
  readonly idp_user_id?: string;
  readonly provider_subject?: string;
  readonly totp_id?: string;
  readonly wallet_id?: string;
  readonly wallet_type?: string;
  readonly wallet_public_address?: string;
  readonly user_id?: string;
}

/** A factor's document before the database has stamped the time of its verification. */
export type UnstampedFactor = Omit<FactorDocument, 'method'> & {
  readonly method: Omit<FactorDocument['method'], 'last_verified_at'>;
};

export function factorDocument({ type, deliveryChannel, method }: Factor): UnstampedFactor {
  const fields = methodFields(method);
  return {
    delivery_channel: deliveryChannel,
    type,
    method: { method_id: methodId(method), method_type: method.type, ...fields },
  };
}

/** Two factors of one key are the same factor, verified again: same kind of proof, same channel, same method. */
export function factorKey({ type, deliveryChannel, method }: Factor): string {
  return `${type}/${deliveryChannel}/${methodId(method)}`;
}

function methodId(method: FactorMethod): string {
  switch (method.type) {
    case 'email':
      return method.emailId;
    case 'phone_number':
      return method.phoneNumberId;
    case 'oauth':
      return method.identityId;
    case 'totp':
      return method.totpId;
    case 'wallet':
      return method.walletId;
    case 'user':
      return method.userId;
  }
}

function methodFields(method: FactorMethod): MethodFields {
  switch (method.type) {
    case 'email':
      return { email_id: method.emailId, email: method.email };
    case 'phone_number':
      return { phone_number_id: method.phoneNumberId, phone_number: method.phoneNumber };
    case 'oauth':
      return { idp_user_id: method.identityId, provider_subject: method.providerSubject };
    case 'totp':
      return { totp_id: method.totpId };
    case 'wallet':
      return {
        wallet_id: method.walletId,
        wallet_type: method.walletType,
        wallet_public_address: method.publicAddress,
      };
    case 'user':
      return { user_id: method.userId };
  }
}
