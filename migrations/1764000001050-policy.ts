import { FirstTables } from './first-tables.js';

export class Policy1764000001050 extends FirstTables {
  readonly tables = `
    create table policies (
      app_id       text        not null,
      id           text        not null,
      name         text        not null,
      version      integer     not null,
      state        text        not null,
      scope_kind   text        not null,
      scope_id     text        not null,
      rules        jsonb       not null,
      network_ids  jsonb       not null default '{}',
      created_at   timestamptz not null,
      activated_at timestamptz,
      retired_at   timestamptz,
      mac          bytea,
      constraint policies_pkey primary key (app_id, id),
      constraint policies_version unique (app_id, name, version),
      constraint policies_state_check check (state in ('draft', 'active', 'retired')),
      constraint policies_scope_check check (scope_kind in ('app', 'wallet', 'user', 'key', 'client', 'grant'))
    );
    create unique index policies_active on policies (app_id, name) where state = 'active';
    create index policies_of_grants on policies (app_id, scope_id) where scope_kind = 'grant';

    -- A user or a wallet whose keys sign nothing. wallet_id is null for a user.
    create table freezes (
      app_id    text        not null,
      id        text        not null,
      user_id   text        not null,
      wallet_id text,
      frozen_at timestamptz not null,
      constraint freezes_pkey primary key (app_id, id)
    );
    create index freezes_of_user on freezes (app_id, user_id);

    create table approver_groups (
      app_id     text        not null,
      id         text        not null,
      name       text        not null,
      members    text[]      not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      mac        bytea,
      constraint approver_groups_pkey primary key (app_id, id)
    );

    -- Since when each member is one.
    create table approver_members (
      app_id   text        not null,
      group_id text        not null,
      user_id  text        not null,
      since    timestamptz not null,
      mac      bytea,
      constraint approver_members_pkey primary key (app_id, group_id, user_id)
    );

    -- Passkeys of members, made after they became members, that other members let vote.
    create table approver_passkeys (
      app_id      text        not null,
      group_id    text        not null,
      passkey_id  text        not null,
      user_id     text        not null,
      approved_by text        not null,
      approved_at timestamptz not null,
      mac         bytea,
      constraint approver_passkeys_pkey primary key (app_id, group_id, passkey_id)
    );

    -- One row for each rule whose windows have counted something. It is locked before they are summed.
    create table spend_windows (
      app_id      text not null,
      policy_name text not null,
      rule_id     text not null,
      constraint spend_windows_pkey primary key (app_id, policy_name, rule_id)
    );

    -- For each window the sum of its rule's events after a time, of those with is_summed. Destination '' stands for all of them together.
    create table spend_sums (
      app_id      text        not null,
      policy_name text        not null,
      rule_id     text        not null,
      destination text        not null,
      seconds     integer     not null,
      since       timestamptz not null,
      amount      numeric     not null,
      count       bigint      not null,
      mac         bytea,
      constraint spend_sums_pkey primary key (app_id, policy_name, rule_id, destination, seconds)
    );

    create table spend_events (
      app_id       text          not null,
      policy_name  text          not null,
      rule_id      text          not null,
      operation_id text          not null,
      part         integer       not null,
      destination  text,
      amount       numeric(78,0) not null,
      at           timestamptz   not null,
      is_held      boolean       not null,
      released_at  timestamptz,
      -- When the payment was recorded as made. The next spend of the rule moves the event to this time.
      settled_at   timestamptz,
      -- False once it was given back and taken off the sums.
      is_summed    boolean       not null default true,
      mac          bytea,
      constraint spend_events_pkey primary key (app_id, policy_name, rule_id, operation_id, part)
    );
    create index spend_events_at on spend_events (app_id, policy_name, rule_id, at);
    create index spend_events_to on spend_events (app_id, policy_name, rule_id, destination, at) where destination is not null;
    create index spend_events_held on spend_events (app_id, policy_name, rule_id, at) where is_held;
    create index spend_events_released on spend_events (app_id, policy_name, rule_id, at) where released_at is not null and is_summed;
    create index spend_events_held_to on spend_events (app_id, policy_name, rule_id, destination, at) where is_held;
    create index spend_events_released_to on spend_events (app_id, policy_name, rule_id, destination, at) where released_at is not null and is_summed;
    create index spend_events_settled on spend_events (app_id, policy_name, rule_id, settled_at) where settled_at > at;
    create index spend_events_settled_to on spend_events (app_id, policy_name, rule_id, destination, settled_at) where settled_at > at;
    -- By how long the payment took: see the statement that sums.
    create index spend_events_delayed on spend_events (app_id, policy_name, rule_id, width_bucket(extract(epoch from settled_at - at), array[16, 256, 4096, 65536, 1048576]), at, settled_at) where settled_at > at;
    create index spend_events_delayed_to on spend_events (app_id, policy_name, rule_id, destination, width_bucket(extract(epoch from settled_at - at), array[16, 256, 4096, 65536, 1048576]), at, settled_at) where settled_at > at;
    create index spend_events_of_operation on spend_events (app_id, operation_id);

    create table policy_decisions (
      app_id       text        not null,
      id           text        not null,
      at           timestamptz not null,
      outcome      text        not null,
      policy_id    text,
      version      integer,
      rule_id      text,
      reason       text,
      operation    text        not null,
      wallet_id    text        not null,
      operation_id text        not null,
      actor        text        not null,
      facts        jsonb       not null,
      constraint policy_decisions_pkey primary key (app_id, id),
      constraint policy_decisions_outcome_check check (outcome in ('allow', 'deny', 'require_approval'))
    );
    create index policy_decisions_of_wallet on policy_decisions (app_id, wallet_id, id);
    create index policy_decisions_end on policy_decisions (app_id, at);
    create index policy_decisions_denied on policy_decisions (app_id, operation_id) where outcome = 'deny';

    -- The denials of a key by a rule in a minute. Those beyond the bound are one decision.
    create table policy_denials (
      app_id      text        not null,
      actor       text        not null,
      rule        text        not null,
      minute      timestamptz not null,
      calls       integer     not null,
      decision_id text,
      constraint policy_denials_pkey primary key (app_id, actor, rule, minute)
    );
    create unique index policy_denials_decision on policy_denials (app_id, decision_id) where decision_id is not null;
    create index policy_denials_end on policy_denials (app_id, minute);

    -- operation_id names the transfer; for a signature that is returned it is the payload's hash, so that a repeated call finds it again.
    create table approvals (
      app_id       text        not null,
      id           text        not null,
      state        text        not null,
      reason       text,
      operation    text        not null,
      operation_id text        not null,
      -- A change of policies has no wallet, owner, version and rule.
      wallet_id    text,
      -- The owner of the wallet, and whether the call named that user.
      user_id      text,
      names_user   boolean     not null,
      key_id       text        not null,
      policy_id    text,
      version      integer,
      rule_id      text,
      group_id     text        not null,
      needed       integer     not null,
      payload      jsonb       not null,
      payload_hash text        not null,
      created_at   timestamptz not null,
      expires_at   timestamptz not null,
      ended_at     timestamptz,
      mac          bytea,
      constraint approvals_pkey primary key (app_id, id),
      constraint approvals_state_check check (state in ('waiting', 'approved', 'rejected', 'expired', 'executed', 'void'))
    );
    create index approvals_of_state on approvals (app_id, state, id);
    create index approvals_end on approvals (app_id, ended_at);
    create index approvals_not_ended on approvals (app_id, id) where ended_at is null;
    create index approvals_of_operation on approvals (app_id, operation_id);
    create unique index approvals_open on approvals (app_id, operation_id, key_id, policy_id, rule_id) where state in ('waiting', 'approved');

    create table approval_votes (
      app_id      text        not null,
      approval_id text        not null,
      user_id     text        not null,
      decision    text        not null,
      at          timestamptz not null,
      mac         bytea,
      constraint approval_votes_pkey primary key (app_id, approval_id, user_id),
      constraint approval_votes_decision_check check (decision in ('approve', 'reject'))
    );
    create index approval_votes_end on approval_votes (app_id, at);
  `;
}
