import { FirstTables } from './first-tables.js';

export class Privacy1764000001600 extends FirstTables {
  readonly tables = `
    -- The receipts of erasures, and how far those are that go on.
    create table erasures (
      app_id       text        not null,
      user_id      text        not null,
      counts       jsonb       not null,
      done         text[]      not null default '{}',
      cursor       text[],
      requested_at timestamptz not null default now(),
      finished_at  timestamptz,
      constraint erasures_pkey primary key (app_id, user_id)
    );
  `;
}
