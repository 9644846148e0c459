import { PersonalData } from '../../../kernel/personal-data.js';

const ON_CHAIN = 'The address stands in a public chain. It says nothing about a person.';

PersonalData.declare(
  {
    name: 'wallets',
    table: 'wallets',
    names: 'id',
    shows:
      'id, wallet_type, public_address, verified, is_default, is_read_only, is_imported, contract_network, created_at, deleted_at',
    keeps: {
      user_id: 'A wallet keeps its sealed key, because its address may receive a payment later. It has the id alone.',
      public_address: ON_CHAIN,
    },
  },
  {
    name: 'wallet_imports',
    table: 'wallet_imports',
    shows: 'id, wallet_type, expires_at',
    removes: ['user_id'],
  },
  {
    name: 'wallet_registrations',
    table: 'wallet_registrations',
    isSearched: true,
    shows: 'id, wallet_type, public_address, created_at, expires_at, spent_at',
    removes: ['user_id', 'public_address', 'challenge'],
  },
);
PersonalData.none('wallet_addresses', { public_address: ON_CHAIN });
PersonalData.none('imported_keys', { public_address: ON_CHAIN });
