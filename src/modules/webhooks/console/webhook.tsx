import { useLocation } from 'preact-iso';
import { api, call } from '../../../console/api.js';
import { useLoad } from '../../../console/load.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { epochOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { differences } from '../../../console/ui/differences.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { List } from '../../../console/ui/list.js';
import { Await, Facts, Page, Time } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';
import { endpointFields, endpointIn, EndpointState } from './webhooks.js';
import { home } from '../../../console/root.js';

const t = texts.webhooks;
const field = fieldsOf(t);
const ENDPOINT = '/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}';

export const page: ConsolePage = { path: 'webhooks/:id', view: WebhookPage };

function WebhookPage({ appId, id }: PageProps) {
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
                run={(entries) => {
                  const minutes = entries.optional('overlap_minutes');
                  const body = minutes === undefined ? {} : { overlap_minutes: Number(minutes) };
                  return call(api.POST(`${ENDPOINT}/rotate_secret`, { ...target, body }));
                }}
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

function Deliveries({ appId, endpointId }: { appId: string; endpointId: string }) {
  const path = { app_id: appId, whk_id: endpointId };
  const t = texts.deliveries;
  return (
    <List
      text={t}
      filters={[stateFilter(['pending', 'delivered', 'failed'])]}
      load={(query) => call(api.GET(`${ENDPOINT}/deliveries`, { params: { path, query } }))}
      rows={({ deliveries }) => deliveries}
      isPending={({ status }) => status === 'pending'}
      columns={[
        { head: t.event, isName: true, as: 'code', value: (row) => row.event_type },
        { head: text.state, as: 'state', value: ({ status }) => status },
        {
          head: t.attempts,
          value: ({ attempts }) => attempts.length,
          cell: ({ attempts }) =>
            attempts.length === 0 ? (
              text.none
            ) : (
              <details>
                <summary>
                  {attempts.length}: {attempts.at(-1)!.status_code ?? attempts.at(-1)!.error}
                </summary>
                <ol>
                  {attempts.map((attempt) => (
                    <li key={attempt.at}>
                      <Time at={attempt.at} />: {attempt.status_code ?? attempt.error} ({attempt.duration_ms} ms)
                    </li>
                  ))}
                </ol>
              </details>
            ),
        },
        { head: t.nextAttempt, time: (row) => row.next_attempt_at },
        CREATED,
        {
          head: text.actions,
          cell: (row) => {
            const params = { path: { ...path, whd_id: row.id } };
            return (
              <Action
                text={t}
                name="resend"
                values={{ type: row.event_type }}
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
