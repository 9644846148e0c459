import { Module } from '@nestjs/common';
import type { AppId } from '../../kernel/ids.js';
import type { TokenHash } from '../../kernel/secret-tokens.js';
import { Clock } from '../../kernel/clock.js';
import { Log } from '../../kernel/log.js';
import { Config } from '../../services/config/config.js';
import { HostNames } from '../../services/outbound/host-names.js';
import { Outbound } from '../../services/outbound/outbound.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule } from '../identity/index.js';
import { SessionModule, SignInModule } from '../session/index.js';
import { BeginOauthLogin } from './application/begin-oauth-login.js';
import { CompleteOauthLogin } from './application/complete-oauth-login.js';
import { OperatorSignIn } from './application/operator-sign-in.js';
import { VerifyOauthToken } from './application/verify-oauth-token.js';
import { ConnectionTest } from './domain/connection-test.js';
import { IdentityProvider, OperatorsIdentityProvider } from './domain/identity-provider.js';
import { providerTokensContext, OauthLoginRepository, verifierContext } from './domain/login-ticket.js';
import { OperatorSettings } from './domain/operator-settings.js';
import { OperatorSignInRepository } from './domain/operator-sign-in.repository.js';
import { ConnectionTestController } from './http/connection-test.controller.js';
import { OauthController } from './http/oauth.controller.js';
import { OperatorSignInController } from './http/operator-sign-in.controller.js';
import './infrastructure/personal-data.js';
import { OutboundConnectionTest } from './infrastructure/outbound-connection-test.js';
import { OpenidMetadata } from './infrastructure/openid-metadata.js';
import { PassportIdentityProvider } from './infrastructure/passport-identity-provider.js';
import { PostgresOauthLoginRepository } from './infrastructure/postgres-oauth-login.repository.js';
import { PostgresOperatorSignInRepository } from './infrastructure/postgres-operator-sign-in.repository.js';
import { ProviderHttp } from './infrastructure/provider-http.js';

const TEN_MINUTES = 600;

const SIGN_IN = SignInModule.declare({
  title: 'login by an identity provider',
  factor: {
    type: 'oauth',
    deliveryChannels: ['{provider}_oauth'],
    methods: {
      oauth: { id: 'identityId', fields: { identityId: 'idp_user_id', providerSubject: 'provider_subject' } },
    },
  },
  // After its connection is deleted, an identity no longer signs the user in, but it still counts as proved.
  credentials: `
    select exists (select from known_connections c where c.app_id = $1 and c.connection_id = i.connection_id), true, i.identity_id, i.proved_at
      from linked_identities i where i.app_id = $1 and i.user_id = $2`,
  revoke: (the, appId, userId) => the(OauthLoginRepository).revokeTicketsOf(appId, userId),
  sealed: [
    {
      table: 'oauth_states',
      column: 'sealed_verifier',
      key: ['app_id', 'state_hash'],
      context: (row) => verifierContext(row['app_id'] as AppId, row['state_hash'] as TokenHash),
    },
    {
      table: 'login_tickets',
      column: 'sealed_tokens',
      key: ['app_id', 'token_hash'],
      context: (row) => providerTokensContext(row['app_id'] as AppId, row['token_hash'] as TokenHash),
    },
  ],
  retention: [
    { table: 'login_tickets', endedWhen: 'expires_at', everySeconds: TEN_MINUTES },
    { table: 'operator_sign_ins', endedWhen: 'expires_at' },
    // A state is kept for an hour after its end, so that a late callback leads to `oauth_state_expired` at the app.
    { table: 'oauth_states', endedWhen: 'expires_at', after: '1 hour', everySeconds: TEN_MINUTES },
  ],
});

@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN],
  controllers: [OauthController, ConnectionTestController, OperatorSignInController],
  providers: [
    { provide: IdentityProvider, useClass: PassportIdentityProvider },
    { provide: ConnectionTest, useClass: OutboundConnectionTest },
    {
      provide: OperatorsIdentityProvider,
      inject: [Config, Outbound, HostNames, Clock, Log],
      useFactory: (config: Config, outbound: Outbound, names: HostNames, clock: Clock, log: Log) => {
        const { issuer = '', isPrivate } = config.consoleOidc ?? {};
        const allowPlainHttp = config.allowPrivateNetworks || issuer.startsWith('http:');
        const http = new ProviderHttp(
          isPrivate ? new Outbound({ allowPrivateNetworks: true, allowPlainHttp }, names) : outbound,
        );
        return new PassportIdentityProvider(http, new OpenidMetadata(http, clock), clock, config, log);
      },
    },
    { provide: OauthLoginRepository, useClass: PostgresOauthLoginRepository },
    { provide: OperatorSignInRepository, useClass: PostgresOperatorSignInRepository },
    ProviderHttp,
    OpenidMetadata,
    BeginOauthLogin,
    CompleteOauthLogin,
    VerifyOauthToken,
    OperatorSignIn,
    { provide: OperatorSettings, useExisting: Config },
  ],
})
export class OauthModule {}
