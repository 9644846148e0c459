import { FirstTables } from './first-tables.js';

export class Transfer1764000001300 extends FirstTables {
  readonly tables = `
    create table transfers (
      app_id              text          not null,
      id                  text          not null,
      user_id             text          not null,
      status              text          not null,
      stage               text,
      source              text          not null,
      source_address      text          not null,
      dest                text          not null,
      chain               text          not null,
      network             text          not null,
      currency            text          not null,
      symbol              text          not null,
      decimals            integer       not null,
      token               text,
      amount              numeric(78,0) not null,
      fee_cap             numeric(78,0) not null,
      fee                 numeric(78,0),
      -- The parts that are reserved for the L1 and the operator fee; once the fee is final, those that were taken.
      l1_fee              numeric(78,0) not null default 0,
      operator_fee        numeric(78,0) not null default 0,
      -- The batch that it is confirmed with; null: it is confirmed alone.
      batch_id            text,
      custom_id           text,
      notes               text          not null,
      hash                text,
      -- Shows whether a balance already includes the payment.
      mined_block         bigint,
      mined_block_hash    text,
      -- The time of the block that contains the payment; confirmed_at is the time of the caller's confirmation.
      included_at         timestamptz,
      failure_code        text,
      retry_safe          boolean,
      -- The history of the database in which the transfer was created: see database_history().
      history             text,
      created_at          timestamptz   not null default now(),
      updated_at          timestamptz   not null default now(),
      expires_at          timestamptz   not null,
      confirmed_at        timestamptz,
      -- The key of the app that confirmed it, and the decision of the policies that let it pass; null: no policy judged it.
      confirmed_by        text,
      -- Whether a call that made or confirmed it named the owner of the source, who must not approve it then, nor where that is not known.
      names_user          boolean       not null default true,
      decision_id         text,
      -- The last approval that was requested for it.
      approval_id         text,
      completed_at        timestamptz,
      -- When it was first sent again after its completion, because its chain had lost a block that was final.
      sent_again_at       timestamptz,
      -- When the cancellation was requested that may still be executed.
      cancel_requested_at timestamptz,
      cancelled_at        timestamptz,
      stuck_since         timestamptz,
      stuck_reason        text,
      proof_progress      jsonb,
      nonce_used_by       text,
      next_check_at       timestamptz,
      mac                 bytea,
      constraint transfers_pkey primary key (app_id, id),
      constraint transfers_status_check check (status in ('unconfirmed', 'awaiting_approval', 'pending', 'completed', 'failed', 'rejected', 'expired', 'cancelled')),
      constraint transfers_stage_check check ((status = 'pending') = (stage is not null)),
      constraint transfers_amount_check check (amount > 0)
    );
    create unique index transfers_custom_id on transfers (app_id, custom_id) where custom_id is not null;
    create index transfers_of_batch on transfers (app_id, batch_id, id) where batch_id is not null;
    create index transfers_of_user on transfers (app_id, user_id, id);
    create index transfers_of_wallet on transfers (app_id, source, id);
    create index transfers_of_status on transfers (app_id, status, id);
    create index transfers_open on transfers (app_id, network, source_address) where status = 'pending';
    create index transfers_mined on transfers (app_id, network, source_address, mined_block) where mined_block is not null;
    -- Without the second condition two indexes would fit a confirmation, and without statistics of pending transfers the planner may
    -- choose the worse one: every confirmation would read all open transfers of its app.
    create index transfers_due on transfers (app_id, chain, next_check_at) where status = 'pending' and next_check_at is not null;
    create index transfers_overdue on transfers (app_id, expires_at) where status = 'unconfirmed';
    create index transfers_stuck on transfers (app_id, id) where stuck_since is not null;

    create table transfer_attempts (
      app_id                     text          not null,
      network                    text          not null,
      hash                       text          not null,
      transfer_id                text,
      kind                       text          not null,
      ordinal                    integer       not null,
      address                    text          not null,
      raw                        bytea         not null,
      nonce                      bigint,
      blockhash                  text,
      last_valid_block_height    bigint,
      valid_from_slot            bigint,
      valid_from_block           bigint,
      -- A final block at the signing, which ties the proof of the attempt's end to its chain.
      final_block                bigint,
      final_block_hash           text,
      max_fee                    numeric(78,0) not null,
      created_at                 timestamptz   not null default now(),
      first_broadcast_started_at timestamptz,
      accepted_at                timestamptz,
      constraint transfer_attempts_pkey primary key (app_id, network, hash),
      constraint transfer_attempts_kind_check check (kind in ('payment', 'cancellation')),
      constraint transfer_attempts_transfer_fkey foreign key (app_id, transfer_id) references transfers (app_id, id)
    );
    create unique index transfer_attempts_ordinal on transfer_attempts (app_id, transfer_id, ordinal);
    create index transfer_attempts_nonce on transfer_attempts (app_id, network, address, nonce) where nonce is not null;

    -- history is that of the last comparison with the chain: see database_history(). It is empty while the queue is held. held_in is
    -- that in which a height was stored as compared_from. The last comparison was made at compared_at, under the start of the database
    -- server in compared_start. unexplained describes the transactions that no transfer explained then.
    create table sender_queues (
      app_id         text   not null,
      network        text   not null,
      address        text   not null,
      next_nonce     bigint,
      history        text,
      compared_from  bigint,
      held_in        text,
      compared_start timestamptz,
      compared_at    timestamptz,
      unexplained    text[],
      constraint sender_queues_pkey primary key (app_id, network, address)
    );
    create index sender_queues_held on sender_queues (app_id, network, address) where history = '';

    -- When a process found that the database was brought back to an earlier state without a start of its server.
    create table set_backs (
      found_at timestamptz not null,
      constraint set_backs_pkey primary key (found_at)
    );

    -- How far the list of transactions that name an address was read at one endpoint. The version counts the times it was stored.
    create table history_searches (
      app_id   text    not null,
      network  text    not null,
      address  text    not null,
      endpoint text    not null,
      version  integer not null,
      progress jsonb   not null,
      constraint history_searches_pkey primary key (app_id, network, address, endpoint)
    );

    -- Final payments to wallets. sender is empty where the chain does not show one.
    create table deposits (
      app_id     text          not null,
      id         text          not null,
      wallet_id  text          not null,
      user_id    text          not null,
      chain      text          not null,
      network    text          not null,
      currency   text          not null,
      symbol     text          not null,
      decimals   integer       not null,
      token      text,
      amount     numeric(78,0) not null,
      sender     text          not null,
      hash       text          not null,
      position   integer       not null,
      block      bigint        not null,
      at         timestamptz,
      created_at timestamptz   not null default now(),
      constraint deposits_pkey primary key (app_id, id),
      constraint deposits_amount_check check (amount > 0)
    );
    create unique index deposits_once on deposits (app_id, network, hash, position);
    create index deposits_of_wallet on deposits (app_id, wallet_id, id);

    -- The last block of each network that was searched for deposits, and the number of the newest final one.
    create table deposit_scans (
      network      text        not null,
      chain        text        not null,
      block_number bigint      not null,
      block_hash   text        not null,
      newest       bigint      not null,
      due_at       timestamptz not null default now(),
      stopped_at   timestamptz,
      constraint deposit_scans_pkey primary key (network)
    );
  `;
}
