import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Retention } from '../../kernel/retention.js';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import { epochSecondsOf, IdentityModule, SignInMethods, UserProfileParts } from '../identity/index.js';
import { FactorType, FactorTypes, SessionModule } from '../session/index.js';
import { BeginAuthentication, SignInWithPasskey } from './application/sign-in-with-passkey.js';
import { BeginRegistration, RegisterPasskey } from './application/register-passkey.js';
import { Challenges, PasskeySettings } from './application/challenges.js';
import { DeletePasskey } from './application/delete-passkey.js';
import { Authenticators } from './domain/authenticators.js';
import { ChallengeRepository } from './domain/challenge.js';
import { DecoyShapesRepository } from './domain/decoy.js';
import { PasskeyRepository } from './domain/passkey.js';
import { WEBAUTHN } from './domain/webauthn-settings.js';
import { PasskeyController } from './http/passkey.controller.js';
import { UserWebauthnCredential } from './http/passkeys.dto.js';
import { WebauthnSettingsRequest, WebauthnSettingsResponse } from './http/webauthn-settings.dto.js';
import { PasskeySchema, PostgresPasskeyRepository } from './infrastructure/postgres-passkey.repository.js';
import { PostgresChallengeRepository } from './infrastructure/postgres-challenge.repository.js';
import { PostgresDecoyShapesRepository } from './infrastructure/postgres-decoy-shapes.repository.js';
import { SimplewebauthnAuthenticators } from './infrastructure/simplewebauthn-authenticators.js';

const TEN_MINUTES = 600;

const PASSKEY_FACTOR = FactorType.declare({
  type: 'webauthn',
  deliveryChannels: ['webauthn_credential'],
  methods: { webauthn: { id: 'credentialId', fields: { credentialId: 'webauthn_credential_id' } } },
});

/** Passkeys: sign-in by WebAuthn. */
@Module({
  imports: [AppsModule, IdentityModule, SessionModule, TypeOrmModule.forFeature([PasskeySchema])],
  controllers: [PasskeyController],
  providers: [
    { provide: PasskeyRepository, useClass: PostgresPasskeyRepository },
    { provide: ChallengeRepository, useClass: PostgresChallengeRepository },
    { provide: DecoyShapesRepository, useClass: PostgresDecoyShapesRepository },
    { provide: Authenticators, useClass: SimplewebauthnAuthenticators },
    PasskeySettings,
    Challenges,
    BeginRegistration,
    RegisterPasskey,
    BeginAuthentication,
    SignInWithPasskey,
    DeletePasskey,
  ],
})
export class PasskeyModule implements OnModuleInit {
  constructor(
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly profileParts: UserProfileParts,
    private readonly moduleSettings: ModuleSettings,
    private readonly retention: Retention,
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: ChallengeRepository,
  ) {}

  onModuleInit(): void {
    this.factorTypes.register(PASSKEY_FACTOR);
    this.signInMethods.register({
      factorType: PASSKEY_FACTOR.type,
      // A passkey of a domain that the app has left signs in no more, but still proves whose account it is.
      credentials: `
        select exists (select from app_settings s where s.app_id = c.app_id and s.settings -> '${WEBAUTHN}' ->> 'rpId' = c.rp_id), true
          from webauthn_credentials c where app_id = $1 and user_id = $2`,
      // Every passkey is proved, so an account with one never passes to another user: these are those of a deleted user.
      revoke: (appId, userId) => {
        this.challenges.removeAllOf(appId, userId);
        this.passkeys.removeAllOf(appId, userId);
      },
    });
    this.profileParts.register({
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
    });
    this.moduleSettings.register({
      field: WEBAUTHN,
      change: WebauthnSettingsRequest.change,
      show: WebauthnSettingsResponse.of,
    });
    this.retention.register({ table: 'webauthn_challenges', endedWhen: 'expires_at', everySeconds: TEN_MINUTES });
  }
}
