import { flag, group, idOf, optional, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { UnstampedFactor } from './factor.js';

const USER = idOf('user', 'The user of the session.');
const SESSION_OF_USER = { session_id: idOf('session', 'The session.'), user_id: USER };

/** Addresses of the factor's method are left out. */
const FACTOR = group(
  {
    delivery_channel: text('The channel over which the factor was proved, e.g. `email`.'),
    type: text('The kind of factor, e.g. `otp`.'),
    method_id: text("The id of the user's method, e.g. of an email address."),
    method_type: text('The kind of method, e.g. `email`.'),
  },
  'The proof of who the user is.',
);

function shown({ delivery_channel, type, method: { method_id, method_type } }: UnstampedFactor) {
  return { delivery_channel, type, method_id, method_type };
}

export class SessionCreated extends eventOf({
  name: 'session.created',
  description: 'A user signed in and a session began.',
  data: { ...SESSION_OF_USER, factor: FACTOR },
}) {
  constructor(appId: AppId, sessionId: SessionId, userId: UserId, factor: UnstampedFactor) {
    super(appId, { session_id: sessionId, user_id: userId, factor: shown(factor) });
  }
}

export class FactorAdded extends eventOf({
  name: 'factor.added',
  description:
    'A live session gained a factor that it did not have, or a user gained a sign-in method outside a session.',
  data: {
    session_id: optional(idOf('session', 'Absent outside a session.')),
    user_id: idOf('user', 'The user who gained the factor.'),
    factor: FACTOR,
    is_new_method: optional(
      flag(
        'Whether the account gained the sign-in method; if not, the session saw a proof by a known one. Absent in earlier events.',
      ),
    ),
  },
}) {
  constructor(
    appId: AppId,
    sessionId: SessionId | null,
    userId: UserId,
    factor: UnstampedFactor,
    isNewMethod: boolean,
  ) {
    super(appId, {
      ...(sessionId && { session_id: sessionId }),
      user_id: userId,
      factor: shown(factor),
      is_new_method: isNewMethod,
    });
  }
}

/** An SQL function writes these events when several sessions end at once. */
export class SessionRevoked extends eventOf({
  name: 'session.revoked',
  description:
    'A session was ended before its expiry: it was deleted, or its user may not hold it any more. Expiry has no event.',
  data: SESSION_OF_USER,
}) {
  constructor(appId: AppId, sessionId: SessionId, userId: UserId) {
    super(appId, { session_id: sessionId, user_id: userId });
  }
}

/** The signal that a user is signed out everywhere. Subscribers end what outlives sessions. */
export class AllSessionsEnded {
  constructor(
    readonly appId: AppId,
    readonly userId: UserId,
  ) {}
}
