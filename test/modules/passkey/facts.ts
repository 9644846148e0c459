import type { AppId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import type { TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import type { ModuleFacts } from '../../support/module-facts.js';
import { type Holder, ORIGIN, PasskeyApp, RP_ID } from './passkeys.js';
import { signedInAs } from '../../support/sign-in.js';

const of = (service: TestApp, app: GivenApp) => PasskeyApp.at(service, app);

/** An answer for the owner's user, which the tests send with an unknown user id too. */
let attestation: object;

/** A user who has a passkey and has verified an email. */
async function reachableHolder(service: TestApp, app: GivenApp): Promise<Holder> {
  const acme = of(service, app);
  const email = `${unique()}@example.com`;
  const holder = await acme.holder(acme.authenticator(), await acme.user({ email }));
  const proof = service.nest.get(ProveAddress, { strict: false });
  await proof.email(app.id as AppId, email, signedInAs(holder.userId));
  return holder;
}

export const facts: ModuleFacts = {
  settings: { webauthn: { rp_id: RP_ID, origins: [ORIGIN] } },
  ids: async (service, app, userId) => {
    const acme = of(service, app);
    const holder: Holder = await acme.holder(acme.authenticator(), userId);
    attestation = await acme.attestation(userId);
    return {
      webauthn_credential_id: holder.passkeyId,
      webauthn_assertion: JSON.stringify(await acme.assertion(holder)),
    };
  },
  bodies: {
    'POST /v1/auth/webauthn/registrations/begin': ({ user_id }) => ({ user_id }),
    'POST /v1/auth/webauthn/registrations/create': ({ user_id }) => ({ user_id, public_key_credential: attestation }),
    // Takes any id and refuses none: test/modules/passkey/sign-in.e2e-spec.ts.
    'POST /v1/auth/webauthn/authentication/begin': null,
    'POST /v1/auth/webauthn/verify': ({ webauthn_assertion }) => ({ public_key_credential: webauthn_assertion }),
  },
  wrongProofs: { '/v1/auth/webauthn/verify': 'invalid_webauthn_credential' },
  calls: {
    'POST /v1/auth/webauthn/registrations/begin': async (service, app) => ({
      body: { user_id: await of(service, app).user() },
    }),
    'POST /v1/auth/webauthn/registrations/create': async (service, app) => {
      const user_id = await of(service, app).user();
      const public_key_credential = await of(service, app).attestation(user_id);
      return { body: { user_id, public_key_credential, session_expires_in: 60 } };
    },
    'POST /v1/auth/webauthn/authentication/begin': async (service, app) => ({
      body: { user_id: await of(service, app).user() },
    }),
    'POST /v1/auth/webauthn/verify': async (service, app) => {
      const acme = of(service, app);
      return { body: { public_key_credential: await acme.assertion(await acme.holder()), session_expires_in: 60 } };
    },
    'DELETE /v1/auth/users/webauthn_credentials/{webauthn_credential_id}/delete': async (service, app) => ({
      path: `/v1/auth/users/webauthn_credentials/${(await reachableHolder(service, app)).passkeyId}/delete`,
    }),
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/webauthn_credentials/{webauthn_credential_id}': async (
      service,
      app,
    ) => {
      const { userId, passkeyId } = await reachableHolder(service, app);
      return { path: `/management/v1/apps/${app.id}/users/${userId}/webauthn_credentials/${passkeyId}` };
    },
  },
  withoutEvent: {
    'POST /v1/auth/webauthn/registrations/begin': 'A challenge of five minutes; the registration has an event.',
    'POST /v1/auth/webauthn/authentication/begin': 'A challenge of five minutes; the login has an event.',
  },
  unsealed: {
    'webauthn_challenges.challenge_hash': 'hash',
    'webauthn_credentials.credential_id': 'public',
    'webauthn_credentials.public_key': 'public',
  },
  startingSessions: {
    '/v1/auth/webauthn/registrations/create': 'step_up_required',
    '/v1/auth/webauthn/verify': 'invalid_webauthn_credential',
  },
};
