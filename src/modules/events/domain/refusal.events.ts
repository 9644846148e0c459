import { idOf, integer, optional, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';

const USER = optional(idOf('user', 'The user, where the refusal is about a known one.'));
const AGGREGATED = 'At most one a minute for each user, client network and class.';

export class LoginFailed extends eventOf({
  name: 'login.failed',
  description: `A proof of identity was refused, such as a wrong or expired code, link or signature. ${AGGREGATED}`,
  data: {
    class: text('The error type of the refusal, e.g. `invalid_otp`.'),
    request_id: optional(text('The request id of the refused call. Events of earlier versions have none.')),
    user_id: USER,
  },
}) {}

export class LimitReached extends eventOf({
  name: 'limit.reached',
  description: `A call was refused because it exceeds a limit of the app, or a limit is nearly reached. ${AGGREGATED}`,
  data: {
    class: text(
      'The limit: `calls`, `recipient`, `network`, `country`, `app`, `wrong-tries`, `totp-tries`, `stored_answers`.',
    ),
    percent: optional(integer('The part of the limit that is used, before a call is refused; absent for a refusal.')),
    user_id: USER,
  },
}) {}
