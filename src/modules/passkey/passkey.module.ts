import { Module, type OnModuleInit } from '@nestjs/common';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import { epochSecondsOf, IdentityModule, PortableParts } from '../identity/index.js';
import { SessionModule, SignInModule } from '../session/index.js';
import { Ceremonies } from './application/ceremonies.js';
import { PortablePasskeys } from './application/portable-passkeys.js';
import { ManagePasskeys } from './application/manage-passkeys.js';
import { PasskeysFacade } from './application/passkeys.facade.js';
import { SignInWithPasskey } from './application/sign-in-with-passkey.js';
import { Authenticators, ChallengeRepository } from './domain/authenticators.js';
import { DecoyShapesRepository } from './domain/decoy.js';
import { PasskeyRepository } from './domain/passkey.js';
import { PASSKEY_SETTINGS } from './domain/passkey-settings.js';
import { ManagedPasskeysController, PasskeyController } from './http/passkey.controller.js';
import './http/user-row-passkey.dto.js';
import { UserWebauthnCredential } from './http/passkeys.dto.js';
import { WebauthnSettingsRequest, WebauthnSettingsResponse } from './http/passkey-settings.dto.js';
import './infrastructure/personal-data.js';
import { PasskeySchema, PostgresPasskeyRepository } from './infrastructure/postgres-passkey.repository.js';
import { PostgresChallengeRepository } from './infrastructure/postgres-challenge.repository.js';
import { PostgresDecoyShapesRepository } from './infrastructure/postgres-decoy-shapes.repository.js';
import { SimplewebauthnAuthenticators } from './infrastructure/simplewebauthn-authenticators.js';

const TEN_MINUTES = 600;

const SIGN_IN = SignInModule.declare({
  title: 'passkey',
  factor: {
    type: 'webauthn',
    deliveryChannels: ['webauthn_credential'],
    methods: { webauthn: { id: 'passkeyId', fields: { passkeyId: 'webauthn_credential_id' } } },
  },
  // A passkey of a domain that the app has left signs in no more, but still proves whose account it is.
  credentials: `
    select exists (select from app_settings s where s.app_id = $1 and s.settings -> '${PASSKEY_SETTINGS}' ->> 'rpId' = c.rp_id), true, c.id, c.created_at
      from webauthn_credentials c where app_id = $1 and user_id = $2`,
  // Every passkey is proved, so an account with one never passes to another user: these are those of a deleted user.
  revoke: async (the, appId, userId) => {
    const [challenges, passkeys] = await Promise.all([
      the(ChallengeRepository).removeAllOf(appId, userId),
      the(PasskeyRepository).removeAllOf(appId, userId),
    ]);
    return challenges + passkeys;
  },
  profile: {
    field: 'webauthn_credentials',
    shownAs: UserWebauthnCredential,
    table: 'webauthn_credentials',
    fields: {
      id: 't.id',
      name: 't.name',
      transports: 't.transports',
      backed_up: 't.is_backed_up',
      created_at: epochSecondsOf('t.created_at'),
      last_used_at: `coalesce(${epochSecondsOf('t.last_used_at')}, 0)`,
    },
  },
  retention: [{ table: 'webauthn_challenges', endedWhen: 'expires_at', everySeconds: TEN_MINUTES }],
});

@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN, TypeOrmModule.forFeature([PasskeySchema])],
  controllers: [PasskeyController, ManagedPasskeysController],
  providers: [
    { provide: PasskeyRepository, useClass: PostgresPasskeyRepository },
    { provide: ChallengeRepository, useClass: PostgresChallengeRepository },
    { provide: DecoyShapesRepository, useClass: PostgresDecoyShapesRepository },
    { provide: Authenticators, useClass: SimplewebauthnAuthenticators },
    Ceremonies,
    ManagePasskeys,
    PortablePasskeys,
    PasskeysFacade,
    SignInWithPasskey,
  ],
  exports: [PasskeysFacade],
})
export class PasskeyModule implements OnModuleInit {
  constructor(
    private readonly moduleSettings: ModuleSettings,
    private readonly owners: ObjectOwners,
    private readonly portableParts: PortableParts,
    private readonly portable: PortablePasskeys,
  ) {}

  onModuleInit(): void {
    this.portableParts.register(this.portable);
    this.owners.register({ kind: 'passkey', table: 'webauthn_credentials' });
    this.moduleSettings.register({
      field: PASSKEY_SETTINGS,
      change: WebauthnSettingsRequest.change,
      show: WebauthnSettingsResponse.of,
    });
  }
}
