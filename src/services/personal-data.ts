import { PersonalData } from '../kernel/personal-data.js';

PersonalData.declare(
  {
    name: 'messages',
    table: 'messages',
    about: 't.recipient = any($3)',
    shows: 'id, channel, kind, recipient, status, attempts, created_at, sent_at',
    removes: ['recipient'],
  },
  {
    name: 'wrong_tries',
    table: 'wrong_tries',
    key: ['user_id'],
    shows: 'tries, locked_until',
    removes: ['user_id'],
  },
  {
    name: 'unsent_messages',
    table: 'jobs',
    isUnlinked: true,
    hidden: 'The content is sealed and leaves with the message.',
    keeps: {
      payload:
        'A message that waits is sealed and removed once it is sent. One that could not be sent in a day stays sealed for the operator.',
    },
  },
  {
    name: 'counted_sends',
    table: 'send_counts',
    isUnlinked: true,
    hidden: 'It counts by a hash of the address, and by client network.',
    keeps: { key: 'Limits count by a hash of the address, and by client network. The count is removed within a day.' },
  },
  {
    name: 'repeated_answers',
    table: 'idempotency_keys',
    isUnlinked: true,
    hidden: 'The answers are sealed.',
    keeps: { answer: 'Answers to calls with an `Idempotency-Key` are sealed and removed after a day.' },
  },
);
PersonalData.none('refusals', { class: 'Counts refused calls of a client network and a user for a minute.' });
