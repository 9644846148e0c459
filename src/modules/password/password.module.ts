import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId, UserId } from '../../kernel/ids.js';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, PortableParts } from '../identity/index.js';
import { IDENTITY_METHODS, SessionModule, SignInModule } from '../session/index.js';
import { PortablePasswords } from './application/portable-passwords.js';
import { VerifyPassword } from './application/verify-password.js';
import {
  hashContext,
  ImportedPasswordRepository,
  PASSWORD_LOGIN_UNTIL,
  type PasswordId,
} from './domain/imported-password.js';
import { HashChecker } from './domain/password-hash.js';
import { PasswordController } from './http/password.controller.js';
import { passwordLoginIn, passwordLoginUntil } from './http/password.dto.js';
import './infrastructure/personal-data.js';
import { PostgresImportedPasswordRepository } from './infrastructure/postgres-imported-password.repository.js';
import { ThreadedHashChecker } from './infrastructure/threaded-hash-checker.js';

const SIGN_IN = SignInModule.declare({
  factor: {
    type: 'password',
    deliveryChannels: ['password'],
    methods: { email: IDENTITY_METHODS.email, user: IDENTITY_METHODS.user },
    // It proves neither the address nor a credential that the account has here.
    proofs: { password: 'nothing' },
  },
  // A password is no verified sign-in method, so only addresses and credentials count.
  credentials: KEPT_BY_IDENTITY,
  revoke: (the, appId, userId) => the(ImportedPasswordRepository).removeAllOf(appId, userId),
  opensFirst: {
    type: 'webauthn',
    // For 30 days after the import.
    sql: `select from imported_passwords where app_id = $1 and user_id = $2 and created_at > now() - interval '30 days'`,
  },
  sealed: [
    {
      table: 'imported_passwords',
      column: 'sealed_hash',
      key: ['app_id', 'id'],
      reads: ['user_id'],
      context: ({ app_id, id, user_id }) =>
        hashContext({ appId: app_id as AppId, id: id as PasswordId, userId: user_id as UserId }),
    },
  ],
});

@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN],
  controllers: [PasswordController],
  providers: [
    { provide: ImportedPasswordRepository, useClass: PostgresImportedPasswordRepository },
    { provide: HashChecker, useClass: ThreadedHashChecker },
    PortablePasswords,
    VerifyPassword,
  ],
})
export class PasswordModule implements OnModuleInit {
  constructor(
    private readonly moduleSettings: ModuleSettings,
    private readonly portableParts: PortableParts,
    private readonly portable: PortablePasswords,
  ) {}

  onModuleInit(): void {
    this.portableParts.register(this.portable);
    this.moduleSettings.register({ field: PASSWORD_LOGIN_UNTIL, change: passwordLoginIn, show: passwordLoginUntil });
  }
}
