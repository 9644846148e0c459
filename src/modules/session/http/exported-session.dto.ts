import { type AuthenticatedApp, bindingOf } from '../../../edge/http/authenticated-request.js';
import { Nested } from '../../../edge/http/compound-fields.js';
import { IdOf, MAX_LENGTH, MinutesWithin, Text } from '../../../edge/http/fields.js';
import { FormsBy } from '../../../edge/openapi/forms.js';
import { DescribedLater, Example } from '../../../edge/openapi/plugin-schemas.js';
import { WALLET_TYPES } from '../../../kernel/chain/chain-name.js';
import type { SessionArguments } from '../application/session.facade.js';
import type { IssuedSession } from '../application/session-secrets.js';
import { type FactorDocument, type FactorMethodDocument, FactorType } from '../domain/factor.js';
import { SESSION_LIFETIME, type SessionDocument } from '../domain/session.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { UserId } from '../../../kernel/ids.js';
import type { PreparedAccount } from '../../identity/index.js';

/** A device as the app's backend sees it. */
export class DeviceFingerprintRequest {
  /** The IPv4 or IPv6 address of the device, as text. */
  @Text({ max: MAX_LENGTH.ip, optional: true })
  readonly ip?: string;

  /** The `User-Agent` header of the device. */
  @Text({ max: MAX_LENGTH.userAgent, optional: true })
  readonly user_agent?: string;
}

/** The arguments that every verify call takes: about its session, and about its user. */
export class SessionArgumentsRequest {
  /**
   * The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409
   * `address_of_other_account` and nothing is spent.
   */
  @IdOf('user', { optional: true })
  readonly expected_user_id?: UserId;

  /**
   * The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that
   * session, never to an earlier time.
   */
  @MinutesWithin(SESSION_LIFETIME, { optional: true, example: 60 })
  readonly session_expires_in?: number;

  /** The token of a live session of the same user, to which the factor is added. An empty string means none. */
  @Text({ max: MAX_LENGTH.token, optional: true })
  readonly session_token?: string;

  /** The JWT of a live session of the same user, to which the factor is added. An empty string means none. */
  @Text({ max: MAX_LENGTH.token, optional: true })
  readonly session_jwt?: string;

  /** The device from which the user signs in. It is stored with the session that this call starts. */
  @Nested(() => DeviceFingerprintRequest, { optional: true })
  readonly device_fingerprint?: DeviceFingerprintRequest;

  /** The arguments as `SessionFacade.resolve` takes them, for the key of the app that calls. */
  static argumentsOf(request: SessionArgumentsRequest, app: AuthenticatedApp): SessionArguments {
    const { ip, user_agent: userAgent } = request.device_fingerprint ?? {};
    return {
      minutes: request.session_expires_in,
      token: request.session_token || undefined,
      jwt: request.session_jwt || undefined,
      deviceFingerprint: { ip, userAgent },
      expectedUserId: request.expected_user_id,
      binding: bindingOf(app),
    };
  }
}

/** The schemas of fields that say more than that they hold text. */
const METHOD_FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  email_id: { example: exampleId('email') },
  email: { example: EXAMPLES.email, description: 'The email address that was verified.' },
  phone_number: { description: 'The phone number that was verified, in E.164 form.' },
  wallet_type: { enum: [...WALLET_TYPES] },
};

/** The method that was verified, e.g. an email. `method_type` determines its other fields. */
@FormsBy('method_type', () =>
  Object.fromEntries(
    FactorType.declared
      .flatMap((type) => Object.entries(type.methods))
      .map(([name, { fields }]) => [
        name,
        Object.fromEntries(Object.values(fields).map((field) => [field, { type: 'string', ...METHOD_FIELDS[field] }])),
      ]),
  ),
)
export class FactorMethodResponse implements FactorMethodDocument {
  /** The id of the verified method, the same as in its own field. */
  @Example(exampleId('email'))
  readonly method_id!: string;
  /** The kind of the method, which determines the other fields. */
  readonly method_type!: string;
  /** The time of the last proof by this method in this session, in epoch seconds. */
  readonly last_verified_at!: number;
}

/** Ends the channels of identity providers, whose names an app chooses. */
const OF_PROVIDER = '_oauth';

@DescribedLater(() => {
  const channels = FactorType.declared.flatMap(({ deliveryChannels }) => deliveryChannels);
  const fixed = [...new Set(channels.filter((channel) => !channel.endsWith(OF_PROVIDER)))];
  return {
    delivery_channel: {
      anyOf: [
        { type: 'string', enum: fixed },
        { type: 'string', pattern: `${OF_PROVIDER}$` },
      ],
    },
    type: { enum: FactorType.declared.map(({ type }) => type) },
  };
})
export class FactorResponse implements FactorDocument {
  /** The channel of the proof. That of an identity provider is its name with `_oauth`, such as `google_oauth`. */
  @Example('email')
  readonly delivery_channel!: string;
  /** The kind of proof. */
  @Example('otp')
  readonly type!: string;
  /** The credential that was verified. */
  readonly method!: FactorMethodResponse;
}

/** The device from which a session was started. Each field may be empty. */
export class SessionDeviceResponse {
  /** The `User-Agent` of the device; empty if the app gave none. */
  @Example('Mozilla/5.0')
  readonly user_agent!: string;
  /** The IP address of the device; empty if the app gave none. */
  @Example('192.0.2.1')
  readonly ip!: string;
}

/** A live session. */
export class SessionListItem implements SessionDocument {
  @Example(exampleId('session'))
  readonly id!: string;
  readonly user_id!: string;
  /** The time of the start, in epoch seconds. */
  readonly started_at!: number;
  /** The time after which the session has expired, in epoch seconds. */
  readonly expires_at!: number;
  /** The time of the last use, in epoch seconds, accurate to the minute. */
  readonly last_active_at!: number;
  /** The factors that the user proved in this session, in the order of their last proof. */
  readonly factors!: FactorResponse[];
  /** The device from which the session was started. */
  readonly device_fingerprint!: SessionDeviceResponse;
  /** The time of the last change, in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation, in epoch seconds. */
  readonly created_at!: number;
}

/** A live session with its token and JWT. */
export class IssuedSessionResponse extends SessionListItem {
  /** The token of the session; empty if the request named the session by its JWT, since only the token's hash is stored. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** An RS256 JWT with at least half of its life left, to be verified against the app's JWKS. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;
}

/** The session in the response of every verify call. */
export class SessionFieldsResponse {
  /** The session that was started or joined; null if the request asks for none. */
  readonly session!: IssuedSessionResponse | null;
  /** The token of the session; empty if there is no session or the request named it by its JWT. */
  @Example(EXAMPLES.token)
  readonly session_token!: string;
  /** The JWT of the session; empty if there is no session. */
  @Example('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl')
  readonly session_jwt!: string;

  /** The fields to spread into a response, once the transaction has committed. */
  static async fieldsOf(issued: IssuedSession): Promise<SessionFieldsResponse & { session: IssuedSessionResponse }>;
  static async fieldsOf(issued: IssuedSession | null): Promise<SessionFieldsResponse>;
  static async fieldsOf(issued: IssuedSession | null): Promise<SessionFieldsResponse> {
    if (!issued) return { session: null, session_token: '', session_jwt: '' };
    const proofs = { session_token: issued.token, session_jwt: await issued.jwt() };
    return { session: { ...issued.document, ...proofs }, ...proofs };
  }
}

/** An account that the app had prepared when its user proved an address, or a wallet, for the first time. */
export class PreparedAccountResponse {
  /** The time at which the app created the user, in epoch seconds. */
  readonly at!: number;
  /**
   * The fields that the app had written: names such as `first_name`, and `email` or `phone_number` for a further address, which is
   * not verified. Let the user confirm them.
   */
  @Example(['first_name', 'last_name'])
  readonly fields!: string[];

  static of({ at, fields }: PreparedAccount): PreparedAccountResponse {
    return { at: epochSeconds(at), fields: [...fields] };
  }
}

/** The outcome of a verify call. */
export interface VerifiedUser {
  readonly session: IssuedSession | null;
  /** Whether the call created the user. */
  readonly userCreated?: boolean;
  /** The account, if its user has got it by this call. */
  readonly prepared?: PreparedAccount | null;
}

/** The fields of the response of every verify call. */
export class VerifiedUserResponse extends SessionFieldsResponse {
  /** Whether this call created the user. False for a user whom the app created before. */
  @Example(false)
  readonly user_created!: boolean;
  /**
   * The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address
   * or a wallet. Null in every other response.
   */
  readonly account_prepared!: PreparedAccountResponse | null;

  /** The fields to spread into a response, once the transaction has committed. */
  static async verifiedFieldsOf({
    session,
    userCreated = false,
    prepared = null,
  }: VerifiedUser): Promise<VerifiedUserResponse> {
    return {
      user_created: userCreated,
      account_prepared: prepared && PreparedAccountResponse.of(prepared),
      ...(await SessionFieldsResponse.fieldsOf(session)),
    };
  }
}
