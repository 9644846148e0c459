import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId, TotpId } from '../../kernel/ids.js';
import { Retention } from '../../kernel/retention.js';
import { SealedColumns } from '../../kernel/vault.js';
import {
  epochSecondsOf,
  IdentityModule,
  SignInMethods,
  UserProfileParts,
  UserSearchFields,
} from '../identity/index.js';
import { FactorType, FactorTypes, SessionModule } from '../session/index.js';
import { CreateTotp } from './application/create-totp.js';
import { DeleteTotp } from './application/delete-totp.js';
import { ListRecoveryCodes } from './application/list-recovery-codes.js';
import { SignInWithTotp } from './application/sign-in-with-totp.js';
import { recoveryCodesContext, secretContext, TotpSecrets } from './application/totp-secrets.js';
import { OneTimeCodes, QrCodes } from './domain/one-time-codes.js';
import { TotpRepository } from './domain/totp.js';
import { UserTotp } from './http/totp.dto.js';
import { TotpController } from './http/totp.controller.js';
import { PngQrCodes } from './infrastructure/png-qr-codes.js';
import { PostgresTotpRepository } from './infrastructure/postgres-totp.repository.js';
import { SpeakeasyOneTimeCodes } from './infrastructure/speakeasy-one-time-codes.js';

const TEN_MINUTES = 600;

const TOTP_FACTOR = FactorType.declare({
  type: 'totp',
  deliveryChannels: ['totp_authenticator', 'totp_recovery_code'],
  methods: { totp: { id: 'totpId', fields: { totpId: 'totp_id' } } },
});

// An enrolment that was not verified in time is none, though its row may still be there.
const LIVE = '(t.verified_at is not null or t.expires_at > now())';

const TOTP_SEARCH = UserSearchFields.declare({
  table: 'totps',
  where: LIVE,
  fields: {
    totp_id: { compared: 't.id', values: { id: 'totp' }, isKey: true },
    totp_verified: { compared: '(t.verified_at is not null)', values: 'flag' },
  },
});

/** Authenticator apps of users, and their recovery codes. */
@Module({
  imports: [IdentityModule, SessionModule],
  controllers: [TotpController],
  providers: [
    { provide: TotpRepository, useClass: PostgresTotpRepository },
    { provide: OneTimeCodes, useClass: SpeakeasyOneTimeCodes },
    { provide: QrCodes, useClass: PngQrCodes },
    TotpSecrets,
    SignInWithTotp,
    CreateTotp,
    ListRecoveryCodes,
    DeleteTotp,
  ],
})
export class TotpModule implements OnModuleInit {
  constructor(
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly profileParts: UserProfileParts,
    private readonly searchFields: UserSearchFields,
    private readonly retention: Retention,
    private readonly sealedColumns: SealedColumns,
    private readonly totps: TotpRepository,
  ) {}

  onModuleInit(): void {
    this.profileParts.register({
      field: 'totps',
      shownAs: UserTotp,
      table: 'totps',
      where: LIVE,
      fields: {
        id: 't.id',
        user_id: 't.user_id',
        verified: 't.verified_at is not null',
        updated_at: epochSecondsOf('t.updated_at'),
        created_at: epochSecondsOf('t.created_at'),
      },
    });
    this.searchFields.register(TOTP_SEARCH);
    this.factorTypes.register(TOTP_FACTOR);
    this.signInMethods.register({
      factorType: 'totp',
      credentials: `
        select true, true from totps where app_id = $1 and user_id = $2 and verified_at is not null`,
      revoke: (appId, userId) => this.totps.removeAllOf(appId, userId),
    });
    const sealed = { sealed_secret: secretContext, sealed_recovery_codes: recoveryCodesContext };
    for (const [column, context] of Object.entries(sealed)) {
      this.sealedColumns.register({
        table: 'totps',
        column,
        key: ['app_id', 'id'],
        context: (row) => context(row['app_id'] as AppId, row['id'] as TotpId),
      });
    }
    this.retention.register({
      table: 'totps',
      endedWhen: 'expires_at',
      where: 'verified_at is null',
      everySeconds: TEN_MINUTES,
    });
  }
}
