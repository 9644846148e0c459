import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId, TotpId } from '../../kernel/ids.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { AppsModule } from '../apps/index.js';
import { epochSecondsOf, IdentityModule, PortableParts, UserUnlocked } from '../identity/index.js';
import { SessionModule, SignInModule } from '../session/index.js';
import { PortableTotps } from './application/portable-totps.js';
import { ManageTotps } from './application/manage-totps.js';
import { SignInWithTotp } from './application/sign-in-with-totp.js';
import { recoveryCodesContext, secretContext, TotpSecrets } from './application/totp-secrets.js';
import { QrCodes } from './domain/key-uri.js';
import { OneTimeCodes, TotpRepository } from './domain/totp.js';
import './http/user-row-totp.dto.js';
import { UserTotp } from './http/totp.dto.js';
import { ManagedTotpsController, TotpController } from './http/totp.controller.js';
import './infrastructure/personal-data.js';
import { PngQrCodes } from './infrastructure/png-qr-codes.js';
import { PostgresTotpRepository } from './infrastructure/postgres-totp.repository.js';
import { SpeakeasyOneTimeCodes } from './infrastructure/speakeasy-one-time-codes.js';

const TEN_MINUTES = 600;

// An expired enrolment may still have its row.
const LIVE = '(t.verified_at is not null or t.expires_at > now())';

const ROW = { table: 'totps', key: ['app_id', 'id'] } as const;

const SIGN_IN = SignInModule.declare({
  title: 'authenticator app',
  factor: {
    type: 'totp',
    deliveryChannels: ['totp_authenticator', 'totp_recovery_code'],
    methods: { totp: { id: 'totpId', fields: { totpId: 'totp_id' } } },
    proofs: { totp_recovery_code: 'own secret' },
  },
  // A recovery code that was read since is no older proof than the reading.
  credentials: `
    select true, true, id, verified_at from totps where app_id = $1 and user_id = $2 and verified_at is not null
    union all
    select false, false, 'totp_recovery_code/' || id, greatest(verified_at, recovery_codes_read_at) from totps
     where app_id = $1 and user_id = $2 and verified_at is not null`,
  revoke: (the, appId, userId) => the(TotpRepository).removeAllOf(appId, userId),
  profile: {
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
  },
  search: {
    table: 'totps',
    where: LIVE,
    fields: {
      totp_id: { compared: 't.id', values: { id: 'totp' }, isKey: true },
      totp_verified: { compared: '(t.verified_at is not null)', values: 'flag' },
    },
  },
  sealed: [
    {
      ...ROW,
      column: 'sealed_secret',
      context: (row) => secretContext(row['app_id'] as AppId, row['id'] as TotpId),
    },
    {
      ...ROW,
      column: 'sealed_recovery_codes',
      context: (row) => recoveryCodesContext(row['app_id'] as AppId, row['id'] as TotpId),
    },
  ],
  retention: [{ table: 'totps', endedWhen: 'expires_at', where: 'verified_at is null', everySeconds: TEN_MINUTES }],
});

@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN],
  controllers: [TotpController, ManagedTotpsController],
  providers: [
    { provide: TotpRepository, useClass: PostgresTotpRepository },
    { provide: OneTimeCodes, useClass: SpeakeasyOneTimeCodes },
    { provide: QrCodes, useClass: PngQrCodes },
    TotpSecrets,
    SignInWithTotp,
    ManageTotps,
    PortableTotps,
  ],
})
export class TotpModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly totps: TotpRepository,
    private readonly owners: ObjectOwners,
    private readonly portableParts: PortableParts,
    private readonly portable: PortableTotps,
  ) {}

  onModuleInit(): void {
    this.portableParts.register(this.portable);
    this.owners.register({ kind: 'totp', table: 'totps' });
    this.events.subscribe(UserUnlocked, ({ appId, userId }) => this.totps.forgetTries(appId, userId));
  }
}
