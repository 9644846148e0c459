import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { Action } from '../../../../console/ui/dialog.js';
import texts from './texts.json';

export type Message = components['schemas']['MessageResponse'];

const REPEATABLE = ['one_time_code', 'magic_link', 'invite'] as const;
type Repeatable = (typeof REPEATABLE)[number];

const MOST_SHOWN = 20;

/** The newest messages to the addresses of a user. */
export const messagesTo = (appId: string, userId: string) => {
  const params = { path: { app_id: appId }, query: { user_id: userId, limit: MOST_SHOWN } };
  return call(api.GET('/management/v1/apps/{app_id}/messages', { params }));
};

const isRepeatable = (kind: string): kind is Repeatable => REPEATABLE.includes(kind as Repeatable);

/** Repeats the newest of the messages that has a code or a link. */
export function SendAgain({
  appId,
  messages,
  isPrimary,
}: {
  appId: string;
  messages: readonly Message[];
  isPrimary?: boolean;
}) {
  const last = messages.find(({ kind }) => isRepeatable(kind));
  if (!last) return null;
  const params = { path: { app_id: appId, message_id: last.id } };
  return (
    <Action
      text={texts.timeline}
      name={last.kind as Repeatable}
      values={{ recipient: last.recipient }}
      need="support"
      isPrimary={isPrimary}
      run={() => call(api.POST('/management/v1/apps/{app_id}/messages/{message_id}/resend', { params }))}
    />
  );
}
