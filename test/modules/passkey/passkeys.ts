import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { type Algorithm, type Deviation, VirtualAuthenticator } from '../../support/virtual-authenticator.js';

export const RP_ID = 'example.com';
export const ORIGIN = 'https://login.example.com';

/** The origin of an Android app. */
export const ANDROID_APP = `android:apk-key-hash:${Buffer.alloc(32, 0xfb).toString('base64url')}`;

type Fields = Readonly<Record<string, unknown>>;

/** A user with a passkey. */
export interface Holder {
  readonly userId: string;
  readonly authenticator: VirtualAuthenticator;
  readonly passkeyId: string;
}

/** The calls of an app whose pages use passkeys. */
export class PasskeyApp {
  private constructor(
    readonly service: TestApp,
    readonly app: GivenApp,
  ) {}

  static async of(service: TestApp): Promise<PasskeyApp> {
    const webauthn = { rp_id: RP_ID, origins: [ORIGIN] };
    return new PasskeyApp(service, await service.given.app({ default_wallet_type: 'none', webauthn }));
  }

  static at(service: TestApp, app: GivenApp): PasskeyApp {
    return new PasskeyApp(service, app);
  }

  /** The same app through another replica. */
  at(service: TestApp): PasskeyApp {
    return PasskeyApp.at(service, this.app);
  }

  post(path: string, body: Fields, headers: Record<string, string> = {}): Promise<Answer> {
    return this.service.call('POST', `/v1/auth/webauthn/${path}`, { key: this.app.secretKey, body, headers });
  }

  beginRegistration = (userId: string, fields: Fields = {}): Promise<Answer> =>
    this.post('registrations/begin', { user_id: userId, ...fields });

  beginAuthentication = (userId?: string): Promise<Answer> =>
    this.post('authentication/begin', userId === undefined ? {} : { user_id: userId });

  verify = (credential: unknown, fields: Fields = {}): Promise<Answer> =>
    this.post('verify', { public_key_credential: credential, ...fields });

  createRegistration = (userId: string, credential: unknown, fields: Fields = {}): Promise<Answer> =>
    this.post('registrations/create', { user_id: userId, public_key_credential: credential, ...fields });

  remove(passkeyId: string): Promise<Answer> {
    return this.service.call('DELETE', `/v1/auth/users/webauthn_credentials/${passkeyId}/delete`, {
      key: this.app.secretKey,
    });
  }

  passkeysOf(userId: string): Promise<Answer> {
    return this.service.call('GET', '/v1/auth/webauthn/credentials', {
      key: this.app.secretKey,
      query: { user_id: userId },
    });
  }

  async user(fields: Fields = {}): Promise<string> {
    return (await this.service.given.user(this.app, fields)).user_id;
  }

  authenticator(algorithm?: Algorithm, options: { readonly counts?: boolean } = {}): VirtualAuthenticator {
    return new VirtualAuthenticator(ORIGIN, algorithm, options);
  }

  /** A credential that answers a new challenge, to be registered. */
  async attestation(userId: string, authenticator = this.authenticator(), deviation: Deviation = {}) {
    const { body } = await this.beginRegistration(userId);
    return authenticator.create(body.public_key_credential_creation_options, deviation);
  }

  /** A credential that answers a new challenge, to sign in with. */
  async assertion({ userId, authenticator }: Holder, deviation: Deviation = {}) {
    const { body } = await this.beginAuthentication(userId);
    return authenticator.get(body.public_key_credential_request_options, deviation);
  }

  /** Registers the first passkey of a user. */
  async holder(authenticator = this.authenticator(), userId?: string, deviation: Deviation = {}): Promise<Holder> {
    const id = userId ?? (await this.user());
    const credential = await this.attestation(id, authenticator, deviation);
    const { status, body, text } = await this.createRegistration(id, credential);
    if (status !== 200) throw new Error(text);
    return { userId: id, authenticator, passkeyId: body.webauthn_credential_id };
  }

  /** A token of a new session of the user. */
  async sessionOf(holder: Holder): Promise<string> {
    const { body, text } = await this.verify(await this.assertion(holder), { session_expires_in: 60 });
    if (!body.session_token) throw new Error(text);
    return body.session_token;
  }

  manage(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.service.call(method, `/management/v1/apps/${this.app.id}${path}`, { key: MANAGEMENT_KEY, body });
  }
}

export const refusal = ({ status, body }: Answer): [number, string] => [status, body.error_type];

/** How many answers had each outcome. */
export function outcomes(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? '200' : `${status} ${body.error_type}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
