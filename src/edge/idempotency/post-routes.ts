import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiExtension } from '@nestjs/swagger';
import { type Credential, CREDENTIAL } from '../auth/credential.js';
import type { AuthenticatedRequest } from '../http/authenticated-request.js';
import { handlesPost } from '../http/nest-internals.js';
import { type Around, wrapHandlers } from '../http/wrapped-handlers.js';
import { Idempotency } from './idempotency.js';
import {
  ALL_FIELDS,
  type LoginFields,
  type LoginResponse,
  RepeatedLogins,
  RepeatedSessions,
} from './repeated-logins.js';

/** In the document until it is complete: this POST changes nothing, or only with the named field. */
export const CHANGES_NOTHING = 'x-changes-nothing';
/** In the document until it is complete: this POST runs even if its response cannot be stored. */
export const SAFE_TO_REPEAT = 'x-safe-to-repeat';
const COMMITS_ITSELF = 'commits itself';
const TAKES_RESERVE = 'takes the reserve';
export const RUNS_AGAIN_WITH = 'x-runs-again-with';
export const LOGIN_FIELDS = 'login fields';
const TAKES_KEYS = 'takes idempotency keys';
const SETTING = 'idempotency';

interface Setting {
  readonly idempotency: Idempotency;
  readonly sessions: RepeatedSessions;
}

export function takeIdempotencyKeys(app: NestExpressApplication): void {
  const setting: Setting = {
    idempotency: app.get(Idempotency),
    sessions: app.get(RepeatedSessions, { strict: false }),
  };
  app.set(SETTING, setting);
  wrapHandlers(app, TAKES_KEYS, (handler) => {
    const credential = Reflect.getMetadata(CREDENTIAL, handler) as Credential | undefined;
    if (!handlesPost(handler) || credential?.kind === 'none') return undefined;
    // A replayed response has no cookie.
    if (credential?.kind === 'management' && credential.isSignIn) return undefined;
    const runsAgainWith = Reflect.getMetadata(RUNS_AGAIN_WITH, handler) as string | undefined;
    const changesNothing = Reflect.getMetadata(CHANGES_NOTHING, handler) as WithoutChange | undefined;
    const fields = Reflect.getMetadata(LOGIN_FIELDS, handler) as LoginFields | undefined;
    const repetition = {
      commitsItself: Reflect.hasMetadata(COMMITS_ITSELF, handler),
      isSafe: Reflect.hasMetadata(SAFE_TO_REPEAT, handler),
      takesReserve: Reflect.hasMetadata(TAKES_RESERVE, handler),
    };
    const answer: Around = (request, args, handle, controller) => {
      const runsAgain = isUnchanging(request, changesNothing) || has(request, runsAgainWith);
      if (request.headers['idempotency-key'] === undefined || runsAgain) return handle(args);
      const { idempotency, sessions } = request.app.get(SETTING) as Setting;
      const logins = fields && new RepeatedLogins(sessions, controller, fields);
      return idempotency.answer(request, () => handle(args), { ...repetition, logins });
    };
    if (!fields) return answer;
    return async (...call) => {
      const login = (await answer(...call)) as LoginResponse;
      call[0].loggedUserId = login.session?.user_id ?? login.user_id;
      return login;
    };
  });
}

export interface WithoutChange {
  /** The call does change something with this field of the body. */
  readonly unless?: string;
}

export function isUnchanging(request: AuthenticatedRequest, changesNothing: WithoutChange | undefined): boolean {
  return changesNothing !== undefined && !has(request, changesNothing.unless);
}

/** An optional field that is null counts as absent. */
function has({ body }: AuthenticatedRequest, field: string | undefined): boolean {
  return field !== undefined && (((body ?? {}) as Record<string, unknown>)[field] ?? null) !== null;
}

/** A repeated call runs again: its response is never out of date and takes no room. */
export function ChangesNothing(of: WithoutChange = {}): MethodDecorator {
  return applyDecorators(SetMetadata(CHANGES_NOTHING, of), ApiExtension(CHANGES_NOTHING, of));
}

/** With this field of the body a repeated call runs again: the field asks about the present. Its second effect must be harmless. */
export function RunsAgainWith(field: string): MethodDecorator {
  return applyDecorators(SetMetadata(RUNS_AGAIN_WITH, field), ApiExtension(RUNS_AGAIN_WITH, field));
}

/** A repetition has no second effect or a harmless one, such as another mail. The call runs also without room for its response. */
export function SafeToRepeat(): MethodDecorator {
  return applyDecorators(SetMetadata(SAFE_TO_REPEAT, true), ApiExtension(SAFE_TO_REPEAT, true));
}

/** The POST waits for the network after its commit. Its response is stored afterwards; a call interrupted before that runs again. */
export function CommitsItself(): MethodDecorator {
  return applyDecorators(SetMetadata(COMMITS_ITSELF, true), SafeToRepeat());
}

/** The room is reserved for payments and imports. */
export function TakesReserve(): MethodDecorator {
  return SetMetadata(TAKES_RESERVE, true);
}

/** Only ids and tokens are stored, for 5 minutes while the session lasts; after that the proof is refused as spent. */
export function SignsIn(fields: LoginFields = ALL_FIELDS): MethodDecorator {
  return applyDecorators(SetMetadata(LOGIN_FIELDS, fields), SafeToRepeat());
}
