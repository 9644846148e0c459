import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId } from '../../kernel/ids.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, MessageResends } from '../identity/index.js';
import { IDENTITY_METHODS, SessionModule, SignInModule } from '../session/index.js';
import { PASSCODE_MAIL } from './application/passcode-mail.js';
import { SendPasscode } from './application/send-passcode.js';
import { VerifyPasscode } from './application/verify-passcode.js';
import { codeContext, type MethodId, PASSCODE_LIFETIMES, PasscodeRepository } from './domain/passcode.js';
import { OtpController } from './http/otp.controller.js';
import './infrastructure/personal-data.js';
import { PostgresPasscodeRepository } from './infrastructure/postgres-passcode.repository.js';

const SIGN_IN = SignInModule.declare({
  factor: {
    type: 'otp',
    deliveryChannels: ['sms', 'email'],
    methods: { email: IDENTITY_METHODS.email, phone_number: IDENTITY_METHODS.phone_number },
  },
  credentials: KEPT_BY_IDENTITY,
  revoke: (the, appId, userId, codesStay) => the(PasscodeRepository).revokeAllOf(appId, userId, codesStay),
  sealed: [
    {
      table: 'otps',
      column: 'sealed_code',
      key: ['app_id', 'method_id'],
      context: (row) => codeContext(row['app_id'] as AppId, row['method_id'] as MethodId),
    },
  ],
  retention: [{ table: 'otps', endedWhen: 'expires_at', after: '1 hour' }],
});

@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN],
  controllers: [OtpController],
  providers: [{ provide: PasscodeRepository, useClass: PostgresPasscodeRepository }, SendPasscode, VerifyPasscode],
})
export class OtpModule implements OnModuleInit {
  constructor(
    private readonly resends: MessageResends,
    private readonly sendPasscode: SendPasscode,
  ) {}

  onModuleInit(): void {
    for (const [channel, kind] of [
      ['mail', 'email'],
      ['sms', 'phone_number'],
    ] as const)
      this.resends.register(channel, PASSCODE_MAIL.name, async (appId, address, record) => {
        const request = { kind, address, minutes: PASSCODE_LIFETIMES[kind].standard, binding: null };
        await this.sendPasscode.execute(appId, request, record);
      });
  }
}
