import { PersonalData } from '../../../kernel/personal-data.js';

const ID = 'The id has no meaning outside this app. Transfers, wallets and the audit log name the user by it.';
const ADDRESS = {
  names: 'id, text, canonical',
  isUnproven: 't.verified_at is null',
  removes: ['user_id', 'text', 'canonical'],
};

PersonalData.declare(
  {
    name: 'user',
    table: 'users',
    about: 't.id = $2',
    shows:
      'id, first_name, middle_name, last_name, status, wallet_type, external_id, metadata, first_proved_at, deactivated_at, deleted_at, created_at, updated_at',
    clears: { first_name: `''`, middle_name: `''`, last_name: `''`, external_id: 'null', metadata: `'{}'` },
    keeps: { id: ID },
  },
  { name: 'emails', table: 'emails', ...ADDRESS, shows: 'id, text as email, verified_at, created_at' },
  {
    name: 'phone_numbers',
    table: 'phone_numbers',
    ...ADDRESS,
    shows: 'id, text as phone_number, verified_at, created_at',
  },
  {
    name: 'provider_identities',
    table: 'provider_identities',
    names: 'id',
    shows: 'id, connection_id, provider, subject, proved_at, created_at',
    removes: ['user_id', 'subject'],
  },
  {
    name: 'recoveries',
    table: 'recoveries',
    key: ['user_id'],
    names: 'text, canonical',
    isUnproven: 'true',
    shows: 'kind, text as address, begun_at, ready_at, expires_at',
    removes: ['user_id', 'text', 'canonical'],
  },
  {
    name: 'deleted_external_id',
    table: 'deleted_external_ids',
    isUnlinked: true,
    hidden: 'It is a keyed hash.',
    keeps: {
      external_id_hash:
        'A keyed hash of the `external_id` keeps an import from bringing the user back. It is removed after 400 days.',
    },
  },
);
