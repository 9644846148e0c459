import { type MacTable, MacTables } from '../../src/kernel/row-macs.js';
import { Database } from '../../src/postgres/database.js';
import { SealRows } from '../../src/services/crypto/service-row-macs.js';
import { APPLICATION_NAME } from '../../src/postgres/data-source.js';
import { ROWS_MARK } from '../../src/services/crypto/service-secret.js';
import { ofAll } from '../support/module-facts.js';
import { startApp, type TestApp } from '../support/app.js';

/** Tables whose rows carry no MAC, by the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  'it sends or delays, and grants nothing: the page on security says so': 'webhook_endpoints history_searches',
  'a lock': 'spend_windows',
  'found by a keyed hash, or bound to a seal':
    'oauth_states operator_sign_ins replaced_magic_links wallet_imports webauthn_challenges wallet_registrations',
  'the MAC of another table covers its rows: that of `apps` which freezes there are': 'freezes',
  'has a MAC, a signature or a seal of its own':
    'audit_chains audit_checkpoints audit_cuts audit_heads audit_log audit_personal_data audit_signing_keys signing_keys service_secrets service_state master_keys wrapping_keys',
  'a record: it grants nothing':
    'counted_events deleted_external_ids deposits event_log event_statistics message_statistics messages policy_decisions refused_calls webhook_deliveries key_escrows imported_keys transfer_attempts',
  'work and counters: a wrong row delays or repeats work, or moves a limit':
    'deposit_scans event_positions idempotency_keys idempotency_usage jobs networks policy_denials refusal_batches refusals replicas send_counts sender_queues service_stops set_backs unsequenced_events wallet_addresses webauthn_decoy_shapes webhook_health webhook_queue wrong_tries',
};

/** The MACs with their fields, by the first mark that covers them. A MAC of other fields needs a new mark: the stored ones are wrong. */
const BY_MARK = {
  1: [
    'api_keys: appId id kind keyHash restriction expiresAt',
    'approval_votes: appId approvalId userId decision',
    'approvals: appId id appId id operation operationId walletId userId keyId policyId version ruleId groupId needed payload payloadHash',
    'management_keys: id keyHash role expiresAt',
    'management_sessions: tokenHash keyId registration operator role provedAt expiresAt',
    'transfers: appId id appId id userId source sourceAddress dest chain network currency symbol decimals token amount feeCap batchId customId notes status stage confirmedBy namesUser approvalId',
  ],
  2: [
    'authorization_clients: appId id name type settings secretHash previousSecretHash previousSecretEndsAt',
    'authorization_grants: appId id appId id userId clientId sessionId granted rejected isOffline sessionEndsAt usedAt',
    'authorization_resources: appId id audience canonical scopes tokenSeconds',
    'emails: appId id userId text canonical verifiedAt',
    'imported_passwords: appId id userId createdAt',
    'phone_numbers: appId id userId text canonical verifiedAt',
    'provider_identities: appId id userId connectionId provider subject provedAt createdAt',
    'sessions: appId id userId tokenHash factors expiresAt',
    'users claimMac: appId id',
    'users: appId id',
    'wallets: appId id appId id userId walletType publicAddress verified isDefault isReadOnly isImported contractNetwork',
    'webauthn_credentials: appId id userId credentialId publicKey rpId createdAt',
  ],
};
const nameOf = ({ table, column, key, fields }: MacTable): string =>
  `${table}${column ? ` ${column}` : ''}: ${[...key, ...fields].join(' ')}`;

let service: TestApp;
let database: Database;

beforeAll(async () => {
  service = await startApp();
  database = service.nest.get(Database);
});
afterAll(() => service?.stop());

const done = (sealed: SealRows) => sealed.execute(() => undefined);

describe('the MACs of rows', () => {
  it('are registered for each table, or the table says why it has none', async () => {
    const rows = await database.list<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    );
    const tables = rows.map(({ name }) => name).filter((name) => name !== 'migrations' && name !== 'sql_objects');
    const registered = MacTables.declared.map(({ table }) => table);
    const without = [
      ...Object.values(WITHOUT).flatMap((names) => names.split(' ')),
      ...Object.keys(ofAll((facts) => facts.withoutMac)),
    ];
    expect([...new Set(registered), ...without].toSorted()).toEqual(tables);
  });

  it('are expected in a new database, and a second run of the command compares them only', async () => {
    expect(await done(service.nest.get(SealRows))).toEqual({ signed: 0, wrong: 0 });
  });

  it('that an earlier mark covers stay the same', () => {
    const of = (mark: number): string[] =>
      MacTables.declared
        .filter(({ since }) => since === mark)
        .map(nameOf)
        .toSorted();
    expect(of(1)).toEqual(BY_MARK[1]);
    expect(of(2)).toEqual(BY_MARK[2]);
    expect(Math.max(...MacTables.declared.map(({ since }) => since))).toBe(ROWS_MARK);
    // Otherwise `seal rows` would run beside a replica that writes rows without the newest MACs.
    expect(APPLICATION_NAME).toBe(`identity-and-wallets-${ROWS_MARK}`);
  });
});
