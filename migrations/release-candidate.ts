import { setTimeout as pause } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FirstTables } from './first-tables.js';
import { Identity1764000000400 } from './1764000000400-identity.js';
import { Policy1764000001050 } from './1764000001050-policy.js';
import * as migrations from './index.js';

type Migration = new () => MigrationInterface;
const createsFirst = (each: Migration): each is new () => FirstTables => each.prototype instanceof FirstTables;
const FIRST = Object.values<Migration>(migrations).filter(createsFirst);
const TABLES = FIRST.map((each) => new each().tables).join('');

/** A table that a release candidate lacks. */
const create = (name: string): string => new RegExp(`create table ${name} \\([^;]*;`).exec(TABLES)![0];

/** A table of policies may be there already: one change creates all that the module has. */
const createIfMissing = (name: string): string => create(name).replace('create table', 'create table if not exists');

/** For a table that calls write: they go on while the index is built. */
function createIndex(name: string): string {
  return new RegExp(`create index ${name} [^;]*`).exec(TABLES)![0].replace('index', 'index concurrently if not exists');
}

const TRIGRAM_INDEXES = /do \$\$[^]*?end \$\$;/.exec(new Identity1764000000400().tables)![0];

/** The migrations that revision b1c2b34 had. Earlier revisions are not supported. */
const OLDEST = { count: 53, before: 1_763_600_008_000 };

/**
 * Changes of later revisions, by the name of the migration that made them. Until the first release a change of a table goes into the
 * first tables, and here under a name of its own.
 */
export const CHANGES: readonly (readonly [migration: string, sql: string])[] = [
  // Nothing proves that an account from before is empty, so it is closed.
  ['AddClaimsToUsers1763600008000', `alter table users add column claim text not null default 'closed'`],
  // Addresses from before get the full time from now on.
  ['LimitUnverifiedAddresses1763600008020', ['emails', 'phone_numbers'].map(limitUnverified).join(';')],
  ['CreateServiceSecrets1763600008100', create('service_secrets')],
  ['AddFreshFactorsToSessions1763600008110', 'alter table sessions add column fresh_factors text[]'],
  ['CountStoredAnswers1763600008200', create('idempotency_usage')],
  // Existing links and checkpoints stay as they are.
  [
    'KeyAuditLinks1763600008210',
    `alter table audit_log add column mac bytea,
       add constraint audit_log_keyed check (number is null or mac is not null) not valid`,
  ],
  [
    'SignAuditHeads1763600008220',
    `${create('audit_heads')}
     alter table audit_checkpoints add column head bigint, add column previous bytea, alter column kind drop not null,
       add constraint audit_checkpoints_named check (kind is null and head is not null and previous is not null) not valid`,
  ],
  ['CreateAuditCuts1763600008230', create('audit_cuts')],
  [
    'AddEmailDomainsToOauthConnections1763600008300',
    `alter table oauth_connections add column email_domains text[] not null default '{}'`,
  ],
  ['AddOauthBeginToApps1763600008310', `alter table apps add column oauth_begin text not null default 'any'`],
  [
    'TellBoundAndLinkingLoginTickets1763600008320',
    `alter table login_tickets add column is_browser_bound boolean not null default false,
       alter column provider_identity_id drop not null`,
  ],
  ['CreateWebauthnDecoyShapes1763600008330', create('webauthn_decoy_shapes')],
  // Keys that left earlier are found in the events, as far as these are kept.
  [
    'RecordKeysThatLeft1763600008500',
    `alter table wallets add column key_left_at timestamptz;
     update wallets w set key_left_at = now()
       from (select distinct app_id, data->>'wallet_id' as wallet_id from events
              where type in ('wallet.exported', 'transaction.signed')) handed_out
      where w.app_id = handed_out.app_id and w.id = handed_out.wallet_id`,
  ],
  [
    'KeepHistoryOfBooks1763600008510',
    `alter table transfers add column history text;
     alter table chain_lanes add column history text, add column compared_from bigint;
     create index chain_lanes_held on chain_lanes (app_id, network, address) where history = ''`,
  ],
  ['CreateNetworks1763600008600', create('networks')],
  [
    'KeepFinalBlocksOfAttempts1763600008610',
    'alter table transfer_attempts add column final_block bigint, add column final_block_hash text',
  ],
  [
    'KeepWhenCompletedTransfersWereSentAgain1763600008620',
    'alter table transfers add column sent_again_at timestamptz',
  ],
  ['CreateImportedKeys1763600008700', create('imported_keys')],
  ['KeepTimeOfWebhookTests1763600008720', 'alter table webhook_endpoints add column tested_at timestamptz'],
  ['NameFeeds1763600008730', `alter table event_positions add column feeds jsonb not null default '[]'`],
  ['BindHoldsToHistories1763600009000', 'alter table chain_lanes add column held_in text'],
  [
    'AddSupportRole1763600009100',
    `alter table management_keys drop constraint management_keys_role_check,
       add constraint management_keys_role_check check (role in ('owner', 'operator', 'support', 'auditor'))`,
  ],
  [
    'CreateRefusedCalls1763600009210',
    `${create('refused_calls')} create index refused_calls_of_key on refused_calls (app_id, key_id, id)`,
  ],
  [
    'AddOperatorsToManagementSessions1763600009200',
    `alter table management_sessions alter column key_id drop not null, add column registration text, add column operator text, add column role text,
       add constraint management_sessions_role_check check (role in ('owner', 'operator', 'support', 'auditor')),
       add constraint management_sessions_of check (
         key_id is not null and num_nonnulls(registration, operator, role) = 0
         or key_id is null and num_nonnulls(registration, operator, role) = 3)`,
  ],
  [
    'AddRestrictedKeys1763600009300',
    `alter table api_keys add column restriction jsonb, drop constraint api_keys_kind_check,
       add constraint api_keys_kind_check check (kind in ('secret', 'public', 'restricted')),
       add constraint api_keys_restriction_check check ((kind = 'restricted') = (restriction is not null))`,
  ],
  [
    'AddPolicies1763600010000',
    `alter table apps add column signing_revision text not null default '', add column frozen_at timestamptz;
     alter table transfers add column confirmed_by text, add column decision_id text, add column approval_id text,
       drop constraint transfers_status_check,
       add constraint transfers_status_check check (status in ('unconfirmed', 'awaiting_approval', 'pending', 'completed', 'failed', 'rejected', 'expired', 'cancelled'));
     ${new Policy1764000001050().tables}`,
  ],
  [
    'LetPolicyChangesBeApproved1763600010100',
    `alter table approvals ${['wallet_id', 'user_id', 'policy_id', 'version', 'rule_id'].map((column) => `alter column ${column} drop not null`).join(', ')}`,
  ],
  [
    'RecordWhetherOwnersMadeTransfers1763600010200',
    'alter table transfers add column names_user boolean not null default true',
  ],
  [
    'AddDataFeesToTransfers1763600010300',
    `alter table transfers add column l1_fee numeric(78,0) not null default 0,
       add column operator_fee numeric(78,0) not null default 0`,
  ],
  ['AddNetworksToApps1763600010400', 'alter table apps add column networks text[]'],
  // The next login by a contract records its network.
  ['RecordNetworksOfContracts1763600010410', 'alter table wallets add column contract_network text'],
  // The block of a completed payment is not known any more; its completion is the nearest time.
  [
    'KeepBlocksOfPayments1763600010500',
    `alter table apps add column accept_confirmed jsonb not null default '{}';
     alter table transfers add column mined_block_hash text, add column included_at timestamptz;
     update transfers set included_at = completed_at where status = 'completed'`,
  ],
  [
    'AddBatchesOfTransfers1763600010600',
    `alter table transfers add column batch_id text;
     create index transfers_of_batch on transfers (app_id, batch_id, id) where batch_id is not null`,
  ],
  [
    'CreateDeposits1763600010700',
    `${create('deposits')}
     create unique index deposits_once on deposits (app_id, network, hash, position);
     create index deposits_of_wallet on deposits (app_id, wallet_id, id);
     ${create('deposit_scans')}
     create index wallets_receiving on wallets (wallet_type, public_address) where deleted_at is null`,
  ],
  [
    'CreateWrappingKeys1763600010800',
    `${create('wrapping_keys')}
      create unique index wrapping_keys_of_provider on wrapping_keys (app_id, provider, generation) where restored_at is null`,
  ],
  ['AuthenticatePublicKeys1763600010810', 'alter table signing_keys add column public_mac bytea'],
  ['CreateKeyEscrows1763600010850', create('key_escrows')],
  [
    'IndexApprovalsNotEnded1763600010860',
    'create index if not exists approvals_not_ended on approvals (app_id, id) where ended_at is null',
  ],
  // A sum that is not stored is made from the events.
  [
    'AddSpendSums1763600010870',
    `${createIfMissing('spend_sums')}
     drop index if exists spend_events_counted, spend_events_held;
     alter table spend_events add column if not exists is_summed boolean not null default true;
     create index if not exists spend_events_at on spend_events (app_id, policy_name, rule_id, at);
     create index if not exists spend_events_to on spend_events (app_id, policy_name, rule_id, destination, at) where destination is not null;
     create index if not exists spend_events_held on spend_events (app_id, policy_name, rule_id, at) where is_held;
     create index if not exists spend_events_released on spend_events (app_id, policy_name, rule_id, at) where released_at is not null and is_summed`,
  ],
  [
    'EstimateSearches1763600010880',
    `create index emails_not_verified on emails (app_id, user_id) where verified_at is null;
     create index phone_numbers_not_verified on phone_numbers (app_id, user_id) where verified_at is null;
     alter table emails alter column text set statistics 1000;
     alter table phone_numbers alter column text set statistics 1000;
     drop index if exists emails_text_trgm, phone_numbers_text_trgm, users_full_name_trgm;
     ${TRIGRAM_INDEXES}`,
  ],
  [
    'SampleUsers1763600010890',
    'create index users_sampled on users (app_id, hashtext(id)) include (id) where hashtext(id) < -1879048192 and deleted_at is null',
  ],
  [
    'KeepHashesOfPasscodes1763700003000',
    `alter table otps add column code_hash bytea, add column spent_at timestamptz, add column former_hashes bytea[] not null default '{}',
       add column former_ends timestamptz[] not null default '{}', add column former_endings text[] not null default '{}'`,
  ],
  [
    'CreateReplacedMagicLinks1763700003010',
    `${create('replaced_magic_links')}
     create index replaced_magic_links_end on replaced_magic_links (app_id, ended_at)`,
  ],
  [
    'KeepOutcomesInLoginTickets1763700001000',
    'alter table login_tickets add column user_created boolean not null default false, add column prepared jsonb',
  ],
  [
    'IndexBoundKeys1763700001010',
    `create index api_keys_of_user on api_keys (app_id, (restriction #>> '{binding,userId}')) where kind = 'restricted' and revoked_at is null;
     create index api_keys_of_wallets on api_keys using gin ((restriction #> '{binding,walletIds}')) where kind = 'restricted' and revoked_at is null`,
  ],
  [
    'AddExternalIdsToUsers1763700002000',
    `alter table users add column external_id text, add column metadata jsonb not null default '{}';
     create unique index users_external_id on users (app_id, external_id) where external_id is not null and deleted_at is null`,
  ],
  // The first method of accounts from before is not known: their methods count by their age alone.
  [
    'AddStepUpByAge1763700006000',
    `alter table apps add column step_up jsonb not null default '{}';
     alter table users add column first_proved_at timestamptz;
     alter table provider_identities add column proved_at timestamptz;
     alter table totps add column recovery_codes_read_at timestamptz`,
  ],
  ['KeepKeyOfWebhookEndpoints1763700008000', 'alter table webhook_endpoints add column key_id text'],
  [
    'CreateFreezes1763700008010',
    `${createIfMissing('freezes')} create index if not exists freezes_of_user on freezes (app_id, user_id)`,
  ],
  // Passkeys from before the rule vote: members from before count since now.
  [
    'CreateApproverMembers1763700008020',
    `${createIfMissing('approver_members')} ${createIfMissing('approver_passkeys')}
     insert into approver_members (app_id, group_id, user_id, since)
     select g.app_id, g.id, m.user_id, now() from approver_groups g cross join lateral unnest(g.members) as m (user_id)
     on conflict do nothing;
     alter table apps add column approver_passkey_hours integer`,
  ],
  ['KeepNewestAuditHead1763700008030', create('service_state')],
  [
    'EndIdleManagementSessions1763700008040',
    `alter table management_sessions add column last_used_at timestamptz not null default now(), add column proved_at timestamptz`,
  ],
  [
    'CreateRecoveries1763700006020',
    `${create('recoveries')} create index recoveries_end on recoveries (app_id, expires_at)`,
  ],
  ['RecordWhenUsersWereNotified1763700006010', 'alter table users add column notified_at timestamptz'],
  [
    'AddPkceToOauthConnections1763700004000',
    `alter table oauth_connections add column pkce boolean not null default true,
       add column userinfo text not null default 'required',
       add constraint oauth_connections_userinfo_check check (userinfo in ('required', 'optional'))`,
  ],
  [
    'CreateOperatorSignIns1763700004010',
    `${create('operator_sign_ins')} create index operator_sign_ins_end on operator_sign_ins (app_id, expires_at)`,
  ],
  // A row without a digest is compared by its body_hash.
  ['CompareBodiesAsJson1763700007000', 'alter table idempotency_keys add column body_digest bytea'],
  [
    'ReserveRoomForPayments1763700007010',
    'alter table idempotency_usage add column if not exists reserved_bytes bigint not null default 0',
  ],
  [
    'CountSettledPaymentsAnew1763700010000',
    `alter table spend_events add column if not exists settled_at timestamptz;
     create index if not exists spend_events_settled on spend_events (app_id, policy_name, rule_id, settled_at) where settled_at > at`,
  ],
  [
    'CountDenials1763700007020',
    `${createIfMissing('policy_denials')}
     create unique index if not exists policy_denials_decision on policy_denials (app_id, decision_id) where decision_id is not null;
     create index if not exists policy_denials_end on policy_denials (app_id, minute)`,
  ],
  // The release below renames chain_lanes to sender_queues.
  [
    'CompareQueuesAfterStarts1763700010010',
    ['sender_queues', 'chain_lanes']
      .map((table) => {
        const columns = ['compared_start timestamptz', 'compared_at timestamptz', 'unexplained text[]'];
        return `alter table if exists ${table} ${columns.map((column) => `add column if not exists ${column}`).join(', ')}`;
      })
      .join('; '),
  ],
  [
    'BindNetworksOfPolicies1763700010020',
    `alter table policies add column if not exists network_ids jsonb not null default '{}'`,
  ],
  // The command that gives rows their MACs fills it.
  ['AddMacsToTransfers1763700011000', 'alter table transfers add column mac bytea'],
  ['AddMacsToApiKeys1763700011040', 'alter table api_keys add column mac bytea'],
  ['AddMacsToManagementKeys1763700011050', 'alter table management_keys add column mac bytea'],
  ['AddMacsToManagementSessions1763700011060', 'alter table management_sessions add column mac bytea'],
  ['AddMacsToApprovals1763700011010', 'alter table approvals add column if not exists mac bytea'],
  ['AddMacsToApprovalVotes1763700011020', 'alter table approval_votes add column if not exists mac bytea'],
  ['AddMacsToApproverGroups1763700011030', 'alter table approver_groups add column if not exists mac bytea'],
  ['CreateHistorySearches1763700011070', create('history_searches')],
  ['AddMacsToSessions1763700011075', 'alter table sessions add column mac bytea'],
  ['AddMacsToPasskeys1763700011080', 'alter table webauthn_credentials add column mac bytea'],
  ['AddMacsToEmails1763700011090', 'alter table emails add column mac bytea'],
  ['AddMacsToPhoneNumbers1763700011100', 'alter table phone_numbers add column mac bytea'],
  ['AddMacsToProviderIdentities1763700011110', 'alter table provider_identities add column mac bytea'],
  ['AddMacsToWallets1763700011120', 'alter table wallets add column mac bytea'],
  ['AddMacsToUsers1763700011130', 'alter table users add column mac bytea, add column claim_mac bytea'],
  [
    'AddMacsToApps1763700011140',
    'alter table apps add column mac bytea, add column messages_mac bytea, add column signing_mac bytea',
  ],
  ['AddMacsToRedirectUrls1763700011150', 'alter table redirect_urls add column mac bytea'],
  ['AddMacsToOauthConnections1763700011160', 'alter table oauth_connections add column mac bytea'],
  ['AddMacsToPolicies1763700011170', 'alter table policies add column if not exists mac bytea'],
  ['AddMacsToMagicLinks1763700011180', 'alter table magic_links add column mac bytea'],
  ['AddMacsToOtps1763700011190', 'alter table otps add column mac bytea'],
  ['AddMacsToLoginTickets1763700011200', 'alter table login_tickets add column mac bytea'],
  ['AddMacsToTotps1763700011210', 'alter table totps add column mac bytea'],
  ['AddMacsToRecoveries1763700011220', 'alter table recoveries add column if not exists mac bytea'],
  ['AddMacsToImportedPasskeys1763700011230', 'alter table webauthn_credentials add column import_mac bytea'],
  ['AddMacsToApproverMembers1763700011240', 'alter table approver_members add column if not exists mac bytea'],
  ['AddMacsToApproverPasskeys1763700011250', 'alter table approver_passkeys add column if not exists mac bytea'],
  [
    'AddMacsToSpends1763700011285',
    'alter table spend_events add column if not exists mac bytea; alter table spend_sums add column if not exists mac bytea',
  ],
  [
    'CreateDeletedExternalIds1763700020010',
    `${create('deleted_external_ids')} create index deleted_external_ids_end on deleted_external_ids (app_id, expires_at)`,
  ],
  [
    'AddFlagsOfImportedPasskeys1763700020020',
    'alter table webauthn_credentials add column user_handle text, add column is_backup_unknown boolean',
  ],
  ['CreateReplicas1763700030010', create('replicas')],
  [
    'CreateImportedPasswords1763700030020',
    `${create('imported_passwords')} create index imported_passwords_decoys on imported_passwords (app_id, hashtext(id))`,
  ],
  ['CreateServiceStops1763700030030', create('service_stops')],
  ['CreateAuthorizationClients1763700040010', create('authorization_clients')],
  ['CreateAuthorizationResources1763700040020', create('authorization_resources')],
  [
    'CreateAuthorizationGrants1763700040040',
    `${create('authorization_grants')}
     create index authorization_grants_of_user on authorization_grants (app_id, user_id);
     create index authorization_grants_of_client on authorization_grants (app_id, client_id);
     create index authorization_grants_used on authorization_grants (app_id, used_at)`,
  ],
  [
    'CreateAuthorizationArtifacts1763700040050',
    `${create('authorization_artifacts')}
     create index authorization_artifacts_of_grant on authorization_artifacts (app_id, grant_id) where grant_id is not null;
     create index authorization_artifacts_end on authorization_artifacts (app_id, expires_at)`,
  ],
  [
    'CreateAuthorizationRevokedTokens1763700040030',
    `${create('authorization_revoked_tokens')}
     create index authorization_revoked_tokens_end on authorization_revoked_tokens (app_id, expires_at)`,
  ],
  ['CreateErasures1763700050010', create('erasures')],
  ['CreateSetBacks1763700050020', create('set_backs')],
  [
    'AddPoliciesOfTokens1763700050030',
    `create index if not exists policies_of_grants on policies (app_id, scope_id) where scope_kind = 'grant';
     alter table policies drop constraint policies_scope_check,
       add constraint policies_scope_check check (scope_kind in ('app', 'wallet', 'user', 'key', 'client', 'grant'))`,
  ],
  ['KeepRequestsOfEvents1763700060010', 'alter table unsequenced_events add column request_id text'],
  ['KeepRequestsOfJobs1763700060020', 'alter table jobs add column request_id text'],
  ['KeepRequestsOfMessages1763700060030', 'alter table messages add column request_id text'],
  ['AddMacsOfAppDataToUsers1763700060040', 'alter table users add column app_data_mac bytea'],
  ['IndexMessagesByRecipient1763700060050', createIndex('messages_recipient')],
  ['IndexHeldSpendsByDestination1763700060060', createIndex('spend_events_held_to')],
  ['IndexReleasedSpendsByDestination1763700060070', createIndex('spend_events_released_to')],
  ['IndexSettledSpendsByDestination1763700060080', createIndex('spend_events_settled_to')],
  ['IndexSpendsByDelay1763700060090', createIndex('spend_events_delayed')],
  ['IndexSpendsByDestinationAndDelay1763700060100', createIndex('spend_events_delayed_to')],
];

/** Names of the first release, and the removal of everything that only an earlier revision used. */
const RELEASE = `
  drop view events;
  drop function create_event_partitions(integer), create_webhook_partitions(integer), queue_event(), refuse(text), revoke_sessions(text, text, integer, text),
    revoke_sessions(text, text, integer, integer, text), revoke_sessions_numbered(text, text, integer, integer, text);
  alter table audit_chains drop column hour_number, drop column hour_at, drop column day_number, drop column day_at;
  ${create('refusals')}
  ${create('refusal_batches')}
  insert into refusals (app_id, recorder, class, since, calls, written)
  select app_id, 'audit', json_build_array(error_type, actor, network), since, calls, written from audit_refusals;
  drop table audit_refusals, reported_refusals;
  alter table chain_lanes rename to sender_queues;
  alter index chain_lanes_pkey rename to sender_queues_pkey;
  alter index chain_lanes_held rename to sender_queues_held`;

function limitUnverified(table: string): string {
  return `
    alter table ${table} add column unverified_until timestamptz;
    create index ${table}_unverified on ${table} (app_id, unverified_until) where unverified_until is not null;
    update ${table} c set unverified_until = now() + interval '7 days'
     where verified_at is null and (
       select (select count(*) from emails e where e.app_id = c.app_id and e.user_id = c.user_id)
            + (select count(*) from phone_numbers p where p.app_id = c.app_id and p.user_id = c.user_id)) > 1`;
}

/** The last change that every revision with the first tables has. */
const LAST_OF_ALL = 'SampleUsers1763600010890';
export const LATER_CHANGES = CHANGES.slice(CHANGES.findIndex(([name]) => name === LAST_OF_ALL) + 1);

/** The column, table or index that a change adds first. */
const ADDED =
  /alter table (?:if exists )?(?<table>\w+)\s+add column (?:if not exists )?(?<column>\w+)|create (?:table|(?:unique )?index) (?:concurrently )?(?:if not exists )?(?<relation>\w+)/;

const CONCURRENTLY = /create index concurrently if not exists (?<relation>\w+)/;

/** Makes the later changes in the database of an earlier revision that had the first tables. It removes nothing. */
async function addLaterChanges(connection: QueryRunner, log: (line: string) => void): Promise<void> {
  const added = LATER_CHANGES.map(([, sql]) => ADDED.exec(sql)!.groups!);
  const missing = (await connection.query(
    `select number::integer from unnest($1::text[], $2::text[]) with ordinality as added (relation, name, number)
      where to_regclass(relation) is null or exists (select from pg_index where indexrelid = to_regclass(relation) and not indisvalid) or name is not null and not exists (
        select from pg_attribute where attrelid = to_regclass(relation) and attname = name and not attisdropped)
      order by number`,
    [added.map(({ table, relation }) => table ?? relation), added.map(({ column }) => column ?? null)],
  )) as { number: number }[];
  if (missing.length === 0) return;
  // They make the tables of modules that have joined since. First, because an upgrade that is interrupted goes on by what is missing.
  await inTransaction(connection, async () => {
    await connection.query(`alter table migrations add column if not exists expands boolean not null default false`);
    for (const { name } of FIRST)
      await connection.query(
        `insert into migrations (timestamp, name, expands)
         select $1::bigint, $2::text, true where not exists (select from migrations where name = $2::text)`,
        [name.slice(-13), name],
      );
  });
  for (const { number } of missing) {
    const [name, sql] = LATER_CHANGES[number - 1]!;
    const built = CONCURRENTLY.exec(sql)?.groups!.relation;
    if (built)
      log(`${name} builds an index while calls go on, after all transactions that have begun, such as a backup.`);
    await whenUnlocked(name, log, async () => {
      if (!built) return await withinLockTimeout(connection, () => connection.query(sql));
      // An attempt that failed leaves an invalid index.
      await connection.query(`drop index concurrently if exists ${built}`);
      await connection.query(sql);
    });
  }
  log(`The tables of an earlier revision got ${missing.length} later changes.`);
}

/** The SQLSTATEs lock_not_available and deadlock_detected. */
const LOCKED_OUT = ['55P03', '40P01'];

async function whenUnlocked(name: string, log: (line: string) => void, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!LOCKED_OUT.includes((error as { readonly code?: string }).code ?? '')) throw error;
      log(`${name} waits until other transactions have ended, such as a backup.`);
      await pause(2_000);
    }
  }
}

/** Gives up a lock that it does not get soon: calls of the replicas that run wait behind a change that waits. */
const withinLockTimeout = (connection: QueryRunner, work: () => Promise<unknown>): Promise<void> =>
  inTransaction(connection, async () => {
    await connection.query(`set local lock_timeout = '2s'`);
    await work();
  });

async function inTransaction(connection: QueryRunner, work: () => Promise<void>): Promise<void> {
  await connection.startTransaction();
  try {
    await work();
    await connection.commitTransaction();
  } catch (error) {
    await connection.rollbackTransaction().catch(() => {});
    throw error;
  }
}

const LOCK_ALL = `
  do $$ declare found regclass; begin
    for found in select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and pg_has_role(relowner, 'usage') loop
      execute format('lock table %s in access exclusive mode', found);
    end loop;
  end $$`;

/**
 * Brings the database of a release candidate, from revision b1c2b34 on, to the first release in one transaction. Replicas of the release
 * candidate must be stopped; they refuse to start on it afterwards.
 */
export async function adoptReleaseCandidate(connection: QueryRunner, log: (line: string) => void): Promise<void> {
  const isMigrated = (await connection.query(`select to_regclass('migrations') is not null as yes`)) as [
    { yes: boolean },
  ];
  if (!isMigrated[0].yes) return;
  const rows = (await connection.query('select name, timestamp::float8 as timestamp from migrations')) as {
    name: string;
    timestamp: number;
  }[];
  const known = new Set(rows.map(({ name }) => name));
  if (known.has('Services1764000000100')) {
    // A newer version may have removed a part of them.
    const isNewer = rows.some(({ name }) => !Object.values(migrations).some((each) => each.name === name));
    return isNewer ? undefined : addLaterChanges(connection, log);
  }
  if (!known.has('CreateEvents1763600000000')) return;
  if (rows.filter(({ timestamp }) => timestamp < OLDEST.before).length < OLDEST.count)
    throw new Error('The database was made by a revision before b1c2b34. Start revision b1c2b34 on it first.');
  const upgrade = async (): Promise<void> => {
    // All at once and first, so that a transaction of another client costs no work that was done.
    await connection.query(LOCK_ALL);
    const pending = CHANGES.filter(([name]) => !known.has(name));
    for (const [index, [name, sql]] of pending.entries()) {
      log(`Migration ${index + 1} of ${pending.length + 1}: ${name}`);
      await connection.query(sql.replace(' concurrently', ''));
    }
    log(`Migration ${pending.length + 1} of ${pending.length + 1}: the tables of the first release`);
    await connection.query(RELEASE);
    await connection.query('delete from migrations');
    for (const { name } of FIRST)
      await connection.query('insert into migrations (timestamp, name) values ($1, $2)', [name.slice(-13), name]);
  };
  await whenUnlocked('The upgrade of the release candidate', log, () => withinLockTimeout(connection, upgrade));
  log('The database of a release candidate was brought to the first release.');
}
