import { newId } from '../../../src/kernel/ids.js';
import { type Factor, factorDocument, factorKey } from '../../../src/modules/session/domain/factor.js';

const emailId = newId('email');
const phoneNumberId = newId('phoneNumber');
const identityId = newId('providerIdentity');
const totpId = newId('totp');
const walletId = newId('wallet');
const userId = newId('user');
const email = { type: 'email', emailId, email: 'ann@example.com' } as const;
const phone = { type: 'phone_number', phoneNumberId, phoneNumber: '+14155552671' } as const;

describe('a factor as it is answered', () => {
  it.each<[Factor, object]>([
    [
      { type: 'otp', deliveryChannel: 'sms', method: phone },
      {
        method_id: phoneNumberId,
        method_type: 'phone_number',
        phone_number_id: phoneNumberId,
        phone_number: '+14155552671',
      },
    ],
    [
      { type: 'otp', deliveryChannel: 'email', method: email },
      { method_id: emailId, method_type: 'email', email_id: emailId, email: 'ann@example.com' },
    ],
    [
      {
        type: 'oauth',
        deliveryChannel: 'google_oauth',
        method: { type: 'oauth', identityId, providerSubject: 'subject 1' },
      },
      { method_id: identityId, method_type: 'oauth', idp_user_id: identityId, provider_subject: 'subject 1' },
    ],
    [
      { type: 'magic_link', deliveryChannel: 'embedded', method: { type: 'user', userId } },
      { method_id: userId, method_type: 'user', user_id: userId },
    ],
    [
      { type: 'totp', deliveryChannel: 'totp_recovery_code', method: { type: 'totp', totpId } },
      { method_id: totpId, method_type: 'totp', totp_id: totpId },
    ],
    [
      {
        type: 'wallet',
        deliveryChannel: 'eth_wallet',
        method: { type: 'wallet', walletId, walletType: 'ethereum', publicAddress: '0xA' },
      },
      {
        method_id: walletId,
        method_type: 'wallet',
        wallet_id: walletId,
        wallet_type: 'ethereum',
        wallet_public_address: '0xA',
      },
    ],
  ])('names its kind, its channel and the ids of its method: %j', (factor, method) => {
    expect(factorDocument(factor)).toEqual({ type: factor.type, delivery_channel: factor.deliveryChannel, method });
  });
});

describe('two factors', () => {
  it('are the same when kind, channel and method are, whatever else changed', () => {
    const renamed = { type: 'otp', deliveryChannel: 'email', method: { ...email, email: 'Ann@example.com' } } as const;
    expect(factorKey(renamed)).toBe(factorKey({ type: 'otp', deliveryChannel: 'email', method: email }));
  });

  it('differ when only the kind of proof differs', () => {
    const otp = factorKey({ type: 'otp', deliveryChannel: 'email', method: email });
    expect(factorKey({ type: 'magic_link', deliveryChannel: 'email', method: email })).not.toBe(otp);
  });

  it('differ when only the channel differs', () => {
    const app = factorKey({ type: 'totp', deliveryChannel: 'totp_authenticator', method: { type: 'totp', totpId } });
    const code = factorKey({ type: 'totp', deliveryChannel: 'totp_recovery_code', method: { type: 'totp', totpId } });
    expect(code).not.toBe(app);
  });
});
