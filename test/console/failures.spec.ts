import { failureIn } from '../../src/console/ui/failures.js';

const words = (data: object, type = 'login.failed') => failureIn({ type, data });

it.each([
  [
    { class: 'invalid_otp', reason: 'expired', ended_seconds_ago: 14 },
    'The code had expired 14 s before it was typed.',
  ],
  [
    { class: 'invalid_otp', reason: 'replaced', ended_seconds_ago: 130 },
    'The code had been replaced by a newer one 2 min before it was typed.',
  ],
  [
    { class: 'invalid_otp', reason: 'spent', ended_seconds_ago: 0 },
    'The code had been used or withdrawn 0 s before it was typed.',
  ],
  [{ class: 'invalid_totp', reason: 'spent' }, 'The code had been used or withdrawn before it was typed.'],
  [{ class: 'invalid_otp', reason: 'wrong' }, 'The code was wrong.'],
  [{ class: 'invalid_otp', reason: 'none_sent' }, 'No code had been sent to this address in the hour before.'],
  [
    { class: 'magic_link_expired', reason: 'expired', ended_seconds_ago: 86_400 },
    'The link had expired 24 h before it was opened.',
  ],
  [{ class: 'invalid_otp' }, undefined],
  [{ class: 'invalid_otp', reason: 'of a later release' }, undefined],
])('the failed login %j is shown in words', (data, sentence) => {
  expect(words(data)).toBe(sentence);
});

it('other events have no such words', () => {
  expect(words({ reason: 'wrong' }, 'limit.reached')).toBeUndefined();
});
