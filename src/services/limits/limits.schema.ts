import { EntitySchema } from 'typeorm';

/** Counts recent messages for one recipient, network, app or country. Only the function `take_sends` writes it. */
interface SendCount {
  readonly appId: string;
  readonly key: string;
  /** The number of the newest slot, counted since 1970. */
  readonly slot: string;
  readonly counts: readonly number[];
  /** When all counts have left the window. */
  readonly expiresAt: Date;
}

export const SendCountSchema = new EntitySchema<SendCount>({
  name: 'SendCount',
  tableName: 'send_counts',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'send_counts_pkey' },
    key: { type: 'text', primary: true, primaryKeyConstraintName: 'send_counts_pkey' },
    slot: { type: 'bigint' },
    counts: { type: 'integer', array: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
  },
});

interface WrongTriesOfUser {
  readonly appId: string;
  /** The user, or the key of an address that its user has not proved. */
  readonly userId: string;
  /** The tries of the last hour, oldest first. */
  readonly tries: readonly Date[];
  readonly lockedUntil: Date | null;
}

export const WrongTriesSchema = new EntitySchema<WrongTriesOfUser>({
  name: 'WrongTries',
  tableName: 'wrong_tries',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'wrong_tries_pkey' },
    userId: { type: 'text', name: 'user_id', primary: true, primaryKeyConstraintName: 'wrong_tries_pkey' },
    tries: { type: 'timestamptz', array: true },
    lockedUntil: { type: 'timestamptz', name: 'locked_until', nullable: true },
  },
});
