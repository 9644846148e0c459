import { FirstTables } from './first-tables.js';

export class Chain1764000001200 extends FirstTables {
  readonly tables = `
    -- A block by which a network is known, stored when it is first used: chain ids repeat.
    create table networks (
      network       text        not null,
      block_number  bigint      not null,
      block_hash    text        not null,
      first_used_at timestamptz not null default now(),
      constraint networks_pkey primary key (network)
    );
  `;
}
