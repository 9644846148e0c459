import { useLocation } from 'preact-iso';
import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { epochOf, fill, nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { differences } from '../ui/differences.js';
import { Filter, stateFilter, useFilters } from '../ui/filter.js';
import { Await, Badge, Facts, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';
import { endpointFields, endpointIn, EndpointState } from './webhooks.js';

const t = text.webhooks;
const STATES = ['pending', 'delivered', 'failed'] as const;
const TONES = { pending: 'wait', delivered: 'good', failed: 'bad' } as const;

export function WebhookPage({ appId, id }: AppPageProps) {
  const target = { params: { path: { app_id: appId, whk_id: id } } };
  const { route } = useLocation();
  const loaded = useLoad(() => call(api.GET('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}', target)), [id]);
  return (
    <Page title={t.endpoint} intro={loaded.data?.url}>
      <Await loaded={loaded}>
        {(endpoint) => (
          <>
            <Facts
              items={[
                [text.state, <EndpointState reason={endpoint.disabled_reason} />],
                [t.description, endpoint.description],
                [t.types, endpoint.event_types.join(', ') || text.all],
                [t.ordered, endpoint.ordered ? text.yes : text.no],
                [t.previousSecret, <Time at={endpoint.previous_secret_ends_at} />],
                [text.apps.created, <Time at={endpoint.created_at} />],
              ]}
            />
            <div class="actions">
              <Action
                label={t.test}
                title={t.test}
                body={t.testBody}
                need="operator"
                run={async () => {
                  await call(api.POST('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/test', target));
                }}
              />
              <Action
                label={t.change}
                title={t.change}
                body={t.changeBody}
                confirm={text.save}
                need="operator"
                fields={endpointFields(endpoint)}
                run={async (entries, initial) => {
                  const body = differences(endpointIn(entries), endpointIn(initial));
                  if (body)
                    await call(
                      api.PATCH('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}', { ...target, body }),
                    );
                }}
              />
              <Action
                label={t.rotate}
                title={t.rotate}
                body={t.rotateBody}
                need="operator"
                fields={[
                  { name: 'overlap_minutes', label: t.overlap, type: 'number', value: '1440', hint: t.overlapHint },
                ]}
                run={async (entries) => {
                  const minutes = entries.optional('overlap_minutes');
                  const body = minutes === undefined ? {} : { overlap_minutes: Number(minutes) };
                  const made = await call(
                    api.POST('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/rotate_secret', {
                      ...target,
                      body,
                    }),
                  );
                  return [{ label: t.secret, value: made.secret }];
                }}
              />
              <Action
                label={t.recover}
                title={t.recover}
                body={t.recoverBody}
                need="operator"
                fields={[
                  { name: 'since', label: text.since, type: 'datetime-local', isRequired: true },
                  { name: 'until', label: text.until, type: 'datetime-local', hint: t.untilHint },
                ]}
                run={async (entries) => {
                  const until = entries.optional('until');
                  const body = {
                    since: epochOf(entries.text('since')),
                    ...(until !== undefined && { until: epochOf(until) }),
                  };
                  await call(
                    api.POST('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/recover', { ...target, body }),
                  );
                }}
              />
              <Action
                label={endpoint.disabled_at === 0 ? t.disable : t.enable}
                title={endpoint.disabled_at === 0 ? t.disable : t.enable}
                body={fill(endpoint.disabled_at === 0 ? t.disableBody : t.enableBody, { url: endpoint.url })}
                need="operator"
                isDangerous={endpoint.disabled_at === 0}
                run={async () => {
                  const body = { disabled: endpoint.disabled_at === 0 };
                  await call(api.PATCH('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}', { ...target, body }));
                }}
              />
              <Action
                label={t.remove}
                title={t.removeTitle}
                body={fill(t.removeBody, { url: endpoint.url })}
                need="operator"
                isDangerous
                run={async () => {
                  await call(api.DELETE('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}', target));
                  route(`/console/apps/${appId}/webhooks`);
                }}
              />
            </div>
          </>
        )}
      </Await>
      <Deliveries appId={appId} endpointId={id} />
    </Page>
  );
}

function Deliveries({ appId, endpointId }: { appId: string; endpointId: string }) {
  const path = { app_id: appId, whk_id: endpointId };
  const [filters, apply] = useFilters('status');
  const status = filters.status as (typeof STATES)[number] | undefined;
  return (
    <section>
      <h2>{t.deliveries}</h2>
      <Filter fields={[stateFilter(STATES, status)]} apply={apply} />
      <List
        caption={t.deliveries}
        empty={t.noDeliveries}
        inputs={[endpointId, status]}
        load={async (slice) => {
          const query = { ...slice, status };
          const page = await call(
            api.GET('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries', { params: { path, query } }),
          );
          return { rows: page.deliveries, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.event, isName: true, cell: (row) => <code class="name">{row.event_type}</code> },
          {
            head: text.state,
            cell: (row) => (
              <Badge tone={TONES[row.status as keyof typeof TONES] ?? 'plain'}>{nameOf(row.status)}</Badge>
            ),
          },
          {
            head: t.attempts,
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
          { head: t.nextAttempt, cell: (row) => <Time at={row.next_attempt_at} /> },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
          {
            head: text.actions,
            cell: (row) => (
              <Action
                label={t.resend}
                title={t.resend}
                body={fill(t.resendBody, { type: row.event_type })}
                need="operator"
                run={async () => {
                  await call(
                    api.POST('/management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend', {
                      params: { path: { ...path, whd_id: row.id } },
                    }),
                  );
                }}
              />
            ),
          },
        ]}
      />
    </section>
  );
}
