import { EntitySchema } from 'typeorm';
import type { AppId, Id } from '../../kernel/ids.js';

export const CHANNELS = ['mail', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export const MESSAGE_STATUSES = ['pending', 'sent', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The content is never stored. */
export interface SentMessage {
  readonly id: Id<'message'>;
  readonly channel: Channel;
  readonly kind: string;
  readonly recipient: string;
  readonly status: MessageStatus;
  readonly attempts: number;
  /** It contains no secrets. Null after a success. */
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
}

export const MessageSchema = new EntitySchema<SentMessage & { readonly appId: AppId }>({
  name: 'Message',
  tableName: 'messages',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    channel: { type: 'text' },
    kind: { type: 'text' },
    recipient: { type: 'text' },
    status: { type: 'text', default: 'pending' },
    attempts: { type: 'integer', default: 0 },
    lastError: { type: 'text', name: 'last_error', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    sentAt: { type: 'timestamptz', name: 'sent_at', nullable: true },
  },
});
