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
      created_at   timestamptz not null,
      activated_at timestamptz,
      retired_at   timestamptz,
      constraint policies_pkey primary key (app_id, id),
      constraint policies_version unique (app_id, name, version),
      constraint policies_state_check check (state in ('draft', 'active', 'retired')),
      constraint policies_scope_check check (scope_kind in ('app', 'wallet', 'user', 'key'))
    );
    create unique index policies_active on policies (app_id, name) where state = 'active';

    create table approver_groups (
      app_id     text        not null,
      id         text        not null,
      name       text        not null,
      members    text[]      not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint approver_groups_pkey primary key (app_id, id)
    );

    -- One row for each rule whose windows have counted something. It is locked before they are summed.
    create table spend_windows (
      app_id      text not null,
      policy_name text not null,
      rule_id     text not null,
      constraint spend_windows_pkey primary key (app_id, policy_name, rule_id)
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
      constraint spend_events_pkey primary key (app_id, policy_name, rule_id, operation_id, part)
    );
    create index spend_events_counted on spend_events (app_id, policy_name, rule_id, at) where released_at is null;
    create index spend_events_held on spend_events (app_id, policy_name, rule_id) where is_held;
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
  `;
}
