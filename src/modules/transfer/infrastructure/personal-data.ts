import { PersonalData } from '../../../kernel/personal-data.js';

const BOOKS =
  'The books of the app: payments are in a public chain, and laws require records of them. They name the user by the id.';
const CUSTOM =
  'The name that the app gave the payment, by which it finds the payment in its own books. It stays as the app wrote it.';
const ON_CHAIN = 'The address stands in a public chain. It says nothing about a person.';

PersonalData.declare(
  {
    name: 'transfers',
    table: 'transfers',
    shows:
      'id, status, source, source_address, dest, network, currency, symbol, decimals, token, amount, fee, batch_id, custom_id, notes, hash, failure_code, created_at, confirmed_at, completed_at',
    clears: { notes: `''` },
    keeps: { user_id: BOOKS, source_address: BOOKS, custom_id: CUSTOM, names_user: BOOKS },
  },
  {
    name: 'deposits',
    table: 'deposits',
    // The index is by wallet.
    about: 't.wallet_id = any($3) and t.user_id = $2',
    shows: 'id, wallet_id, network, currency, symbol, decimals, token, amount, sender, hash, at',
    keeps: { user_id: BOOKS, sender: BOOKS },
  },
);
PersonalData.none('transfer_attempts', { address: ON_CHAIN });
PersonalData.none('sender_queues', { address: ON_CHAIN });
PersonalData.none('history_searches', { address: ON_CHAIN });
