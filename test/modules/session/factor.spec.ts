import { newId } from '../../../src/kernel/ids.js';
import {
  type Factor,
  factorKey,
  FactorType,
  FactorTypes,
  IDENTITY_METHODS,
} from '../../../src/modules/session/domain/factor.js';

const emailId = newId('email');
const phoneNumberId = newId('phoneNumber');
const totpId = newId('totp');
const userId = newId('user');
const email = { type: 'email', emailId, email: 'ann@example.com' } as const;
const phone = { type: 'phone_number', phoneNumberId, phoneNumber: '+14155552671' } as const;

const types = new FactorTypes();
const OTP = FactorType.declare({ type: 'otp', deliveryChannels: ['sms', 'email'], methods: IDENTITY_METHODS });
types.register(OTP);
types.register(
  FactorType.declare({ type: 'magic_link', deliveryChannels: ['email', 'embedded'], methods: IDENTITY_METHODS }),
);
types.register(
  FactorType.declare({
    type: 'totp',
    deliveryChannels: ['totp_authenticator', 'totp_recovery_code'],
    methods: { totp: { id: 'totpId', fields: { totpId: 'totp_id' } } },
  }),
);

const otp = (method: Factor['method'] = email): Factor => ({ type: 'otp', deliveryChannel: 'email', method });
const totp = (deliveryChannel: string): Factor => ({ type: 'totp', deliveryChannel, method: { type: 'totp', totpId } });
const keyOf = (factor: Factor): string => factorKey(types.document(factor));

describe('a factor', () => {
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
    [otp(), { method_id: emailId, method_type: 'email', email_id: emailId, email: 'ann@example.com' }],
    [
      { type: 'magic_link', deliveryChannel: 'embedded', method: { type: 'user', userId } },
      { method_id: userId, method_type: 'user', user_id: userId },
    ],
    [totp('totp_recovery_code'), { method_id: totpId, method_type: 'totp', totp_id: totpId }],
  ])('names its kind, its channel and the fields registered for its method: %j', (factor, method) => {
    expect(types.document(factor)).toEqual({ type: factor.type, delivery_channel: factor.deliveryChannel, method });
  });

  it('shows no field that is not registered', () => {
    expect(types.document(otp({ ...email, secret: 's' }))).toEqual(types.document(otp()));
  });

  it('is refused without a field that is registered', () => {
    expect(() => types.document(otp({ type: 'email', emailId }))).toThrow('needs email');
  });

  it('is refused when its type is not registered', () => {
    expect(() => types.document({ ...otp(), type: 'webauthn' })).toThrow('factor type webauthn');
  });

  it('is refused when its method is not registered for its type', () => {
    expect(() => types.document(otp({ type: 'totp', totpId }))).toThrow('with the method totp');
  });

  it('is the same factor when kind, channel and method are equal and other fields differ', () => {
    expect(keyOf(otp({ ...email, email: 'Ann@example.com' }))).toBe(keyOf(otp()));
  });

  it('is another factor when only the kind of proof differs', () => {
    expect(keyOf({ ...otp(), type: 'magic_link' })).not.toBe(keyOf(otp()));
  });

  it('is another factor when only the channel differs', () => {
    expect(keyOf(totp('totp_authenticator'))).not.toBe(keyOf(totp('totp_recovery_code')));
  });
});

describe('the registry of factor types', () => {
  it('refuses a type twice', () => {
    expect(() => types.register(OTP)).toThrow('registered already');
  });
});
