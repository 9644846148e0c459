import type { ModuleContract } from '../../support/module-contracts.js';

export const contract: ModuleContract = {
  settings: {},
  ids: async () => ({}),
  bodies: {},
  wrongProofs: {},
  calls: {},
  sealed: async () => undefined,
  unsealed: {
    'audit_chains.last_hash': 'hash',
    'audit_checkpoints.hash': 'hash',
    'audit_checkpoints.signature': 'signature',
    'audit_log.hash': 'hash',
    'audit_log.ip_commitment': 'hash',
    'audit_personal_data.salt': 'salt of a hash, erased with the address beside it',
  },
  spending: {},
  withoutEvent: {},
};
