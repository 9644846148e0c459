import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { pagesOf, SEARCHED_PAGES, type Slice } from '../../../../console/files.js';
import { Action } from '../../../../console/ui/dialog.js';
import texts from './texts.json';

export type Message = components['schemas']['MessageResponse'];

const REPEATABLE = ['one_time_code', 'magic_link', 'invite'] as const;
type Repeatable = (typeof REPEATABLE)[number];

const MOST_SHOWN = 20;

interface Found {
  readonly messages: readonly Message[];
  /** Older ones were not searched, or are left out. */
  readonly isPartial: boolean;
}

/** The newest messages to these addresses, of the newest 500 of the app: addresses must not be in the URL of a call. */
export async function messagesTo(appId: string, recipients: readonly string[]): Promise<Found> {
  const path = { app_id: appId };
  let hasMore = false;
  const load = async (query: Slice) => {
    const page = await call(api.GET('/management/v1/apps/{app_id}/messages', { params: { path, query } }));
    hasMore = page.has_more;
    return page;
  };
  const messages: Message[] = [];
  if (recipients.length === 0) return { messages, isPartial: false };
  for await (const page of pagesOf(
    load,
    (data) => data.messages,
    ({ id }) => id,
    SEARCHED_PAGES,
  )) {
    messages.push(...page.filter(({ recipient }) => recipients.includes(recipient)));
    if (messages.length >= MOST_SHOWN) break;
  }
  return { messages: messages.slice(0, MOST_SHOWN), isPartial: hasMore || messages.length > MOST_SHOWN };
}

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
