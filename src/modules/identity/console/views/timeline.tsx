import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { webhooks } from '../../../../../openapi/client/src/document.js';
import type { Event } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import { home } from '../../../../console/root.js';
import { fill, nameOf, phraseOf, text } from '../../../../console/text.js';
import { failureIn, inUnits } from '../../../../console/ui/failures.js';
import { useFilters } from '../../../../console/ui/filter.js';
import { Icon } from '../../../../console/ui/icon.js';
import { Await, Card, Time } from '../../../../console/ui/states.js';
import { type Message, SendAgain } from './messages.js';
import texts from './texts.json';

const t = texts.timeline;
const FIRST = 20;
const STEP = 100;

/** Requires each type of the API document that begins with one of these words, and no other one. */
type TypesOf<Subject extends string> = Record<Extract<keyof webhooks, `${Subject}.${string}`>, true>;

type SignIn = 'address' | 'factor' | 'limit' | 'login' | 'recovery' | 'session' | 'totp' | 'webauthn_credential';

const SIGN_IN: TypesOf<SignIn> = {
  'address.moved': true,
  'factor.added': true,
  'factor.removed': true,
  'factor.suspicious': true,
  'limit.reached': true,
  'login.failed': true,
  'recovery.begun': true,
  'recovery.ended': true,
  'session.created': true,
  'session.revoked': true,
  'totp.activated': true,
  'totp.deleted': true,
  'webauthn_credential.created': true,
  'webauthn_credential.deleted': true,
};

const MONEY: TypesOf<'message' | 'transaction' | 'transfer' | 'typed_data' | 'wallet'> = {
  'message.signed': true,
  'transaction.signed': true,
  'transfer.awaiting_approval': true,
  'transfer.cancelled': true,
  'transfer.completed': true,
  'transfer.confirmed': true,
  'transfer.expired': true,
  'transfer.failed': true,
  'transfer.pending': true,
  'transfer.rejected': true,
  'transfer.sent_again': true,
  'transfer.stuck': true,
  'transfer.unconfirmed': true,
  'transfer.unconfirmed_again': true,
  'typed_data.signed': true,
  'wallet.created': true,
  'wallet.credited': true,
  'wallet.deleted': true,
  'wallet.exported': true,
  'wallet.frozen': true,
  'wallet.thawed': true,
};

const KINDS = { signIn: Object.keys(SIGN_IN).join(), money: Object.keys(MONEY).join() };

interface Entry {
  readonly id: string;
  readonly at: number;
  readonly icon: string;
  readonly tone?: 'good' | 'bad' | 'wait';
  readonly words: ComponentChildren;
  readonly next?: ComponentChildren;
  readonly raw?: object;
}

interface TimelineProps {
  readonly appId: string;
  readonly userId: string;
  readonly messages: readonly Message[];
  /** Says which messages are missing. */
  readonly gap: string | undefined;
  /** The action that ends a lock of codes. */
  readonly unlock: ComponentChildren;
}

/** Events and messages of a user in words, the newest first, with what can be done about the last failure. */
export function Timeline({ appId, userId, messages, gap, unlock }: TimelineProps) {
  const options = [['', text.all], ...Object.entries(KINDS).map(([kind, types]) => [types, t.kinds[kind as 'money']])];
  const { values, form } = useFilters([{ name: 'types', label: t.types, options: options as [string, string][] }]);
  const [pages, setPages] = useState(1);
  const loaded = useLoad(() => eventsOf(appId, userId, values.types, pages), [userId, values.types, pages]);
  return (
    <Card title={t.title} more={form}>
      <Await loaded={loaded}>
        {({ events, hasMore }) => {
          const oldest = hasMore ? events.at(-1)!.created_at : 0;
          const hasMessages = values.types !== KINDS.money;
          const sent = hasMessages ? messages.filter((row) => row.created_at >= oldest) : [];
          const isLastFailure = ({ id }: Event) => id === events.find(needsHelp)?.id;
          const entries = [
            ...events.map((event) =>
              entryOf(
                appId,
                event,
                isLastFailure(event) &&
                  (event.type === 'limit.reached' ? unlock : <SendAgain appId={appId} messages={messages} />),
              ),
            ),
            ...sent.map(entryOfMessage),
          ].toSorted((a, b) => b.at - a.at);
          return (
            <>
              {entries.length === 0 ? (
                <p class="empty">{values.types ? t.noneFound : t.empty}</p>
              ) : (
                <ol class="time" aria-label={t.title}>
                  {entries.map((entry) => (
                    <Item key={entry.id} {...entry} />
                  ))}
                </ol>
              )}
              {hasMore && (
                <button type="button" disabled={loaded.isLoading} onClick={() => setPages(pages + 1)}>
                  {t.older}
                </button>
              )}
              {gap !== undefined && hasMessages && (
                <p class="hint">
                  {gap} <a href={`${home}/apps/${appId}/messages?user_id=${userId}`}>{t.allMessages}</a>
                </p>
              )}
            </>
          );
        }}
      </Await>
    </Card>
  );
}

/** The first page is short. */
async function eventsOf(appId: string, userId: string, types: string | undefined, pages: number) {
  const path = { app_id: appId, user_id: userId };
  const events: Event[] = [];
  let hasMore = true;
  for (let page = 0; hasMore && page < pages; page++) {
    const query = { types, limit: page === 0 ? FIRST : STEP, starting_after: events.at(-1)?.id };
    const data = await call(
      api.GET('/management/v1/apps/{app_id}/users/{user_id}/events', { params: { path, query } }),
    );
    events.push(...data.events);
    hasMore = data.has_more;
  }
  return { events, hasMore };
}

function Item({ at, icon, tone = '' as never, words, next, raw }: Entry) {
  return (
    <li>
      <span class={`dot ${tone}`}>
        <Icon of={icon} />
      </span>
      <div>
        <p>{words}</p>
        {next && <div class="actions">{next}</div>}
        {raw && (
          <details>
            <summary class="faint">{text.event.data}</summary>
            <pre aria-label={t.raw} tabIndex={0}>
              {JSON.stringify(raw, null, 2)}
            </pre>
          </details>
        )}
      </div>
      <Time at={at} />
    </li>
  );
}

const needsHelp = ({ type }: Event): boolean => type === 'login.failed' || type === 'limit.reached';

function entryOf(appId: string, event: Event, next: ComponentChildren): Entry {
  const { id, type, created_at: at, data } = event;
  const [subject = ''] = type.split('.');
  return { id, at, icon: ICONS[subject] ?? 'events', ...inWords(appId, event), next, raw: { type, ...data } };
}

const ICONS: Readonly<Record<string, string>> = {
  transfer: 'transfers',
  wallet: 'wallets',
  message: 'wallets',
  typed_data: 'wallets',
  transaction: 'wallets',
  session: 'sessions',
  factor: 'key',
  webauthn_credential: 'key',
  totp: 'key',
  user: 'user',
  recovery: 'key',
};

function inWords(appId: string, event: Event): Pick<Entry, 'words' | 'tone'> & { readonly icon?: string } {
  const data = event.data as Readonly<Record<string, unknown>>;
  const { type: factor } = (data['factor'] ?? {}) as { readonly type?: string };
  const method = nameOf(factor ?? '');
  switch (event.type) {
    case 'login.failed':
      return {
        icon: 'cross',
        tone: 'bad',
        words: (
          <>
            <strong>{t.failed}</strong> {failureIn(event) ?? `${nameOf(String(data['class']))}.`}
          </>
        ),
      };
    case 'limit.reached':
      return { icon: 'clock', tone: 'bad', words: t.limited };
    case 'session.created':
      return { icon: 'check', tone: 'good', words: fill(t.signedIn, { method }) };
    case 'factor.added':
      return { tone: 'good', words: fill(data['is_new_method'] === true ? t.gained : t.proved, { method }) };
    case 'user.frozen':
    case 'wallet.frozen':
      return { icon: 'pause', tone: 'bad', words: `${phraseOf(event.type)}.` };
    default: {
      const transfer = data['transfer_id'];
      return {
        tone: TONES[event.type.split('.')[1] ?? ''],
        words: (
          <>
            {phraseOf(event.type)}.{' '}
            {typeof transfer === 'string' && <a href={`${home}/apps/${appId}/transfers/${transfer}`}>{t.transfer}</a>}
          </>
        ),
      };
    }
  }
}

const TONES: Readonly<Record<string, Entry['tone']>> = {
  completed: 'good',
  credited: 'good',
  failed: 'bad',
  rejected: 'bad',
  stuck: 'bad',
  suspicious: 'bad',
};

/** A mail server that takes its time is often why a code came too late. */
const SLOW_SECONDS = 60;

function entryOfMessage(message: Message): Entry {
  const { id, kind, status, recipient, created_at: created, sent_at: sent, last_error: error } = message;
  const names: Readonly<Record<string, string>> = t.kindsOfMessages;
  const seconds = sent - created;
  const sentence = t.messages[status === 'sent' && seconds >= SLOW_SECONDS ? 'sentAfter' : status];
  const tone = status === 'failed' ? 'bad' : status === 'pending' ? 'wait' : undefined;
  const values = { what: names[kind] ?? nameOf(kind), to: recipient, error, time: inUnits(seconds) };
  return { id, at: created, icon: 'messages', ...(tone && { tone }), words: fill(sentence, values) };
}
