import type { ModuleFacts } from '../../support/module-facts.js';

export const facts: ModuleFacts = {
  unsealed: {
    'audit_chains.last_hash': 'hash',
    'audit_checkpoints.hash': 'hash',
    'audit_checkpoints.signature': 'signature',
    'audit_checkpoints.previous': 'hash',
    'audit_cuts.hash': 'hash',
    'audit_cuts.signature': 'signature',
    'audit_heads.digest': 'hash',
    'audit_heads.previous': 'hash',
    'audit_heads.signature': 'signature',
    'audit_log.hash': 'hash',
    'audit_log.mac': 'MAC of a hash',
    'audit_log.ip_commitment': 'hash',
    'audit_personal_data.salt': 'salt of a hash, erased with the address beside it',
  },
};
