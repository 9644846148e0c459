import { eventually } from '../../support/eventually.js';
import type { ModuleFacts } from '../../support/module-facts.js';

const REFUSED = ['GET /v1/wallets/:wallet_id', 'GET /v1/transfers/:transfer_id'];

export const facts: ModuleFacts = {
  // Two refused calls, for the list of them. The facts of other modules may add further ones.
  ids: async (service, app) => {
    for (const path of ['/v1/wallets/wallet_x', '/v1/transfers/transfer_x'])
      await service.call('GET', path, { key: app.secretKey });
    await eventually(async () => {
      const path = `/management/v1/apps/${app.id}/refused_calls`;
      const { body } = await service.call('GET', path, { key: service.managementKey });
      const operations = body.refused_calls.map(({ operation }: { operation: string }) => operation);
      expect(operations.filter((each: string) => REFUSED.includes(each))).toHaveLength(2);
    });
    return {};
  },
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
