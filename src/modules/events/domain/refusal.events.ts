import { idOf, integer, oneOf, optional, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import { PROOF_FAULTS } from '../../../kernel/refusals.js';

const USER = optional(idOf('user', 'The user, where the refusal is about a known one.'));

export class LoginFailed extends eventOf({
  name: 'login.failed',
  description:
    'A proof of identity was refused, such as a wrong or expired code, link or signature. At most one a minute for each user, client network, class and reason.',
  data: {
    class: text('The error type of the refusal, e.g. `invalid_otp`.'),
    request_id: optional(text('The request id of the refused call. Events of earlier versions have none.')),
    user_id: USER,
    reason: optional(
      oneOf(
        PROOF_FAULTS,
        'Why a code or link was refused: it is `wrong`, had `expired`, was `replaced` by a newer one, or was `spent` (used or withdrawn); `none_sent`: no code was sent to the address in the last hour. Absent where the class says it, or it is not known.',
      ),
    ),
    ended_seconds_ago: optional(
      integer('The seconds between the end of the code or link and this try. Absent where it had not ended.'),
    ),
  },
}) {}

export class LimitReached extends eventOf({
  name: 'limit.reached',
  description:
    'A call was refused because it exceeds a limit of the app, or a limit is nearly reached. At most one a minute for each user, client network and class.',
  data: {
    class: text(
      'The limit: `calls`, `recipient`, `network`, `country`, `app`, `wrong-tries`, `network-wrong-tries`, `totp-tries`, `password-checks`, `webhook-tests-of-endpoint`, `stored_answers`.',
    ),
    percent: optional(integer('The part of the limit that is used, before a call is refused; absent for a refusal.')),
    user_id: USER,
  },
}) {}
