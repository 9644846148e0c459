import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { components, Event } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { pagesOf, SEARCHED_PAGES, type Slice } from '../../../../console/files.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { epochOf, fill, nameOf, phraseOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { differences } from '../../../../console/ui/differences.js';
import { stateFilter } from '../../../../console/ui/filter.js';
import { fieldsOf, overlapIn } from '../../../../console/ui/form.js';
import { List } from '../../../../console/ui/list.js';
import { Await, Facts, Page, Time } from '../../../../console/ui/states.js';
import { CREATED } from '../../../../console/ui/table.js';
import texts from './texts.json';
import { endpointFields, endpointIn, EndpointState } from '../webhooks.js';
import { home } from '../../../../console/root.js';

const t = texts.webhook;
const field = fieldsOf(t);
const ENDPOINT = '/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}';

export function WebhookPage({ appId, id }: PageProps) {
  const target = { params: { path: { app_id: appId, whk_id: id } } };
  const { route } = useLocation();
  const loaded = useLoad(() => call(api.GET(ENDPOINT, target)), [id]);
  const shared = { text: t, values: { url: loaded.data?.url ?? '' }, need: 'operator' } as const;
  return (
    <Page title={t.endpoint} intro={loaded.data?.url}>
      <Await loaded={loaded}>
        {(endpoint) => (
          <>
            <Facts
              items={[
                [text.state, <EndpointState {...endpoint} />],
                [t.description, endpoint.description],
                [t.event_types, endpoint.event_types.join(', ') || text.all],
                [t.ordered, endpoint.ordered ? text.yes : text.no],
                [t.previousSecret, <Time at={endpoint.previous_secret_ends_at} />],
                [text.created, <Time at={endpoint.created_at} />],
              ]}
            />
            <div class="actions">
              <Action {...shared} name="test" run={() => call(api.POST(`${ENDPOINT}/test`, target))} />
              <Action
                {...shared}
                name="change"
                fields={endpointFields(endpoint)}
                run={(entries, initial) => {
                  const body = differences(endpointIn(entries), endpointIn(initial));
                  return body && call(api.PATCH(ENDPOINT, { ...target, body }));
                }}
              />
              <Action
                {...shared}
                name="rotate"
                fields={[field('overlap_minutes', { type: 'number', value: '1440' })]}
                run={(entries) => call(api.POST(`${ENDPOINT}/rotate_secret`, { ...target, body: overlapIn(entries) }))}
                secrets={({ secret }) => ({ [t.secret]: secret })}
              />
              <Action
                {...shared}
                name="recover"
                fields={[
                  field('since', { type: 'datetime-local', isRequired: true }),
                  field('until', { type: 'datetime-local' }),
                ]}
                run={(entries) => {
                  const until = entries.optional('until');
                  const since = epochOf(entries.text('since'));
                  const body = { since, ...(until !== undefined && { until: epochOf(until) }) };
                  return call(api.POST(`${ENDPOINT}/recover`, { ...target, body }));
                }}
              />
              <Action
                {...shared}
                name={endpoint.disabled_at === 0 ? 'disable' : 'enable'}
                isDangerous={endpoint.disabled_at === 0}
                run={() => call(api.PATCH(ENDPOINT, { ...target, body: { disabled: endpoint.disabled_at === 0 } }))}
              />
              <Action
                {...shared}
                name="remove"
                isDangerous
                run={async () => {
                  await call(api.DELETE(ENDPOINT, target));
                  route(`${home}/apps/${appId}/webhooks`);
                }}
              />
            </div>
          </>
        )}
      </Await>
      <section>
        <h2>{texts.deliveries.title}</h2>
        <Deliveries appId={appId} endpointId={id} />
      </section>
    </Page>
  );
}

type Delivery = components['schemas']['WebhookDeliveryResponse'];
type Attempt = Delivery['attempts'][number];

const d = texts.deliveries;

const answerOf = ({ status_code: code, error, duration_ms: ms }: Attempt): string =>
  code === null ? fill(d.noAnswer, { error: nameOf(error ?? '') }) : fill(d.answer, { code, ms });

const lastOf = ({ attempts }: Delivery): string => (attempts.length === 0 ? '' : answerOf(attempts.at(-1)!));

function Deliveries({ appId, endpointId }: { appId: string; endpointId: string }) {
  const path = { app_id: appId, whk_id: endpointId };
  return (
    <List
      text={d}
      filters={[stateFilter(['pending', 'delivered', 'failed'])]}
      load={(query) => call(api.GET(`${ENDPOINT}/deliveries`, { params: { path, query } }))}
      rows={({ deliveries }) => deliveries}
      isPending={({ status }) => status === 'pending'}
      columns={[
        {
          head: d.event,
          isName: true,
          value: (row) => row.event_type,
          cell: ({ event_type: type }) => (
            <>
              {phraseOf(type)} <code class="name faint">{type}</code>
            </>
          ),
        },
        { head: text.state, as: 'state', value: ({ status }) => status },
        {
          head: d.last,
          value: lastOf,
          cell: (row) => <Exchange appId={appId} delivery={row} />,
        },
        {
          head: d.nextAttempt,
          time: (row) => row.next_attempt_at,
          cell: ({ next_attempt_at: at }) =>
            at * 1_000 < Date.now() ? at > 0 && <span class="faint">{d.due}</span> : <Time at={at} />,
        },
        CREATED,
        {
          head: text.actions,
          cell: (row) => {
            const params = { path: { ...path, whd_id: row.id } };
            return (
              <Action
                text={d}
                name="resend"
                values={{ type: phraseOf(row.event_type) }}
                need="operator"
                run={() => call(api.POST(`${ENDPOINT}/deliveries/{whd_id}/resend`, { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}

/** The list of events has no event by its id, so that its newest pages are read. A test event is in none. */
async function eventOf(appId: string, { event_id: id, event_type: type }: Delivery): Promise<Event | null> {
  if (type === 'webhook.test') return null;
  const path = { app_id: appId };
  const load = (query: Slice) =>
    call(api.GET('/management/v1/apps/{app_id}/events', { params: { path, query: { ...query, types: type } } }));
  for await (const events of pagesOf(
    load,
    (page) => page.events,
    (event) => event.id,
    SEARCHED_PAGES,
  )) {
    const event = events.find((each) => each.id === id);
    if (event) return event;
  }
  return null;
}

/** The attempts, the last response, and the event as the service has it now. Only open details read the event. */
function Exchange({ appId, delivery }: { appId: string; delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false);
  const { attempts } = delivery;
  const response = attempts.at(-1)?.response;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{lastOf(delivery) || d.notSent}</summary>
      {isOpen && (
        <>
          <p>{fill(d.more, { count: attempts.length })}</p>
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.at}>
                <Time at={attempt.at} />: {answerOf(attempt)}
              </li>
            ))}
          </ol>
          {response && (
            <>
              <h3>{d.last}</h3>
              <pre aria-label={d.last} tabIndex={0}>
                {response}
              </pre>
            </>
          )}
          <h3>{d.current}</h3>
          <CurrentEvent appId={appId} delivery={delivery} />
        </>
      )}
    </details>
  );
}

function CurrentEvent({ appId, delivery }: { appId: string; delivery: Delivery }) {
  const loaded = useLoad(() => eventOf(appId, delivery), [delivery.id]);
  return (
    <Await loaded={loaded}>
      {(event) =>
        event ? (
          <pre aria-label={d.current} tabIndex={0}>
            {JSON.stringify(event, null, 2)}
          </pre>
        ) : (
          <p>{delivery.event_type === 'webhook.test' ? d.testEvent : d.tooOld}</p>
        )
      }
    </Await>
  );
}
