import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';
import { codeIn, Inbox, tokenIn } from '../support/inbox.js';

type Fields = Readonly<Record<string, unknown>>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- journeys reach into answers as clients do
type Body = any;

/** A code that a person received and can type in. */
export interface SentCode {
  readonly user_id: string;
  readonly user_created: boolean;
  readonly method_id: string;
  readonly otp: string;
}

export const LOGIN_URL = 'https://shop.example/login';
export const WELCOME_URL = 'https://shop.example/welcome';
export const INVITED_URL = 'https://shop.example/invited';

export const newEmail = (): string => `${unique()}@example.com`;
let line = 15_117_000_000;
export const newPhone = (): string => `+49${line++}`;

const holdsCode = (message: string): boolean => /\b[0-9]{6}\b/.test(message);

/** One service, and the mailboxes and phones of the people who use its apps. */
export class Town {
  private constructor(
    readonly service: TestApp,
    readonly inbox: Inbox,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Town> {
    const inbox = await Inbox.start();
    return new Town(await startApp({ env: { ...inbox.env, ...env } }), inbox);
  }

  /** A new app with its pages registered. */
  async shop(settings: Fields = {}): Promise<Shop> {
    const { service } = this;
    const app = await service.given.app({ default_wallet_type: 'none', ...settings });
    await service.given.redirectUrl(app, 'login', LOGIN_URL);
    await service.given.redirectUrl(app, 'registration', WELCOME_URL);
    await service.given.redirectUrl(app, 'invite', INVITED_URL);
    return new Shop(service, this.inbox, app);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.inbox.stop();
  }
}

/** The backend of an ordinary app, which calls the public API only. */
export class Shop {
  constructor(
    readonly service: TestApp,
    private readonly inbox: Inbox,
    readonly app: GivenApp,
    private readonly key = app.secretKey,
  ) {}

  /** The same backend with another key. */
  with(key: string): Shop {
    return new Shop(this.service, this.inbox, this.app, key);
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.service.call(method, path, { key: this.key, body, headers });
  }

  /** The body of the response. Throws if the call is refused. */
  async ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body> {
    const answer = await this.send(method, path, body, headers);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** The refusal of a call, such as `400 invalid_otp`; `200` if it is not refused. */
  async refusal(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await this.send(method, path, body);
    return answer.status === 200 ? '200' : `${answer.status} ${answer.body.error_type}`;
  }

  /** Calls the management API, as an operator of the app does. */
  async manage(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.service.call(method, `/management/v1/apps/${this.app.id}${path}`, {
      key: MANAGEMENT_KEY,
      body,
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  user(userId: string): Promise<Body> {
    return this.ok('GET', `/v1/auth/users/${userId}`);
  }

  create(fields: Fields): Promise<Body> {
    return this.ok('POST', '/v1/auth/users/create', fields);
  }

  update(userId: string, fields: Fields): Promise<Body> {
    return this.ok('PUT', `/v1/auth/users/${userId}/update`, fields);
  }

  async find(field: string, value: string): Promise<string[]> {
    const filters = { operator: 'AND', fields: [{ field, operator: 'eq', value }] };
    const { users } = await this.ok('POST', '/v1/auth/users/search', { filters });
    return users.map(({ user_id }: { user_id: string }) => user_id);
  }

  /** Asks for a code and reads it from the mail or SMS. */
  async codeFor(recipient: string, fields: Fields = {}): Promise<SentCode> {
    const [channel, field] = recipient.startsWith('+') ? ['sms', 'phone_number'] : ['email', 'email'];
    const before = this.inbox.of(recipient).length;
    const path = `/v1/auth/otps/${channel}/login_or_create`;
    const answer = await this.ok('POST', path, { [field]: recipient, ...fields });
    // Other messages may come meanwhile, such as that about a new sign-in method.
    const message = await eventually(() => {
      const found = this.inbox.of(recipient).slice(before).find(holdsCode);
      if (found === undefined) throw new Error(`No code came to ${recipient}.`);
      return found;
    });
    const { user_id, user_created, email_id, phone_number_id } = answer;
    return { user_id, user_created, method_id: email_id ?? phone_number_id, otp: codeIn(message) };
  }

  /** The call that sends the typed code. */
  typed({ method_id, otp }: Pick<SentCode, 'method_id' | 'otp'>, fields: Fields = {}) {
    return ['POST', '/v1/auth/otps/verify', { method_id, otp, session_expires_in: 60, ...fields }] as const;
  }

  enter(code: Pick<SentCode, 'method_id' | 'otp'>, fields: Fields = {}): Promise<Body> {
    return this.ok(...this.typed(code, fields));
  }

  /** A login by code: the session and the user. */
  async signIn(recipient: string, fields: Fields = {}): Promise<Body> {
    return this.enter(await this.codeFor(recipient), fields);
  }

  /** Sends a link by this call, and reads its token from the mail. */
  async linkBy(
    email: string,
    path: string,
    fields: Fields = {},
  ): Promise<{ readonly token: string; readonly answer: Body; readonly message: string }> {
    const { answer, message } = await this.inbox.after(email, () => this.ok('POST', path, { email, ...fields }));
    return { answer, message, token: tokenIn(message) };
  }

  follow(token: string, fields: Fields = {}): Promise<Body> {
    return this.ok('POST', '/v1/auth/magic_links/verify', { token, session_expires_in: 60, ...fields });
  }

  session(session_token: string, fields: Fields = {}): Promise<Body> {
    return this.ok('POST', '/v1/auth/sessions/verify', { session_token, ...fields });
  }

  /** Whether the session still stands. */
  async isSignedIn(session_token: string): Promise<boolean> {
    return (await this.refusal('POST', '/v1/auth/sessions/verify', { session_token })) === '200';
  }
}
