import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId } from '../../kernel/ids.js';
import { Retention } from '../../kernel/retention.js';
import { SealedColumns } from '../../kernel/vault.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, SignInMethods } from '../identity/index.js';
import { FactorType, FactorTypes, IDENTITY_METHODS, SessionModule } from '../session/index.js';
import { IssuePasscode } from './application/issue-passcode.js';
import { LogInByPasscode } from './application/log-in-by-passcode.js';
import { SendPasscode } from './application/send-passcode.js';
import { VerifyPasscode } from './application/verify-passcode.js';
import { codeContext, type MethodId, PasscodeRepository } from './domain/passcode.js';
import { OtpController } from './http/otp.controller.js';
import { PostgresPasscodeRepository } from './infrastructure/postgres-passcode.repository.js';

const PASSCODE_FACTOR = FactorType.declare({
  type: 'otp',
  deliveryChannels: ['sms', 'email'],
  methods: { email: IDENTITY_METHODS.email, phone_number: IDENTITY_METHODS.phone_number },
});

/** One-time passcodes by email and SMS. */
@Module({
  imports: [AppsModule, IdentityModule, SessionModule],
  controllers: [OtpController],
  providers: [
    { provide: PasscodeRepository, useClass: PostgresPasscodeRepository },
    IssuePasscode,
    LogInByPasscode,
    SendPasscode,
    VerifyPasscode,
  ],
})
export class OtpModule implements OnModuleInit {
  constructor(
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly retention: Retention,
    private readonly sealedColumns: SealedColumns,
    private readonly passcodes: PasscodeRepository,
  ) {}

  onModuleInit(): void {
    this.sealedColumns.register({
      table: 'otps',
      column: 'sealed_code',
      key: ['app_id', 'method_id'],
      context: (row) => codeContext(row['app_id'] as AppId, row['method_id'] as MethodId),
    });
    this.factorTypes.register(PASSCODE_FACTOR);
    this.signInMethods.register({
      factorType: 'otp',
      credentials: KEPT_BY_IDENTITY,
      revoke: (appId, userId) => this.passcodes.revokeAllOf(appId, userId),
    });
    this.retention.register({ table: 'otps', endedWhen: 'expires_at', after: '1 hour' });
  }
}
