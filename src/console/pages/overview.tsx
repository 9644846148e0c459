import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { fill, text } from '../text.js';
import { Chart, type Series } from '../ui/chart.js';
import { Filter, useFilters } from '../ui/filter.js';
import { Await, Page } from '../ui/states.js';
import type { AppPageProps } from './app-page.js';

const t = text.overview;
const METRICS = ['logins', 'login_failures', 'sends', 'signatures', 'transfers'] as const;
const RANGES = {
  day: { step: 'hour', seconds: 3_600, steps: 24 },
  week: { step: 'hour', seconds: 3_600, steps: 7 * 24 },
  month: { step: 'day', seconds: 86_400, steps: 30 },
} as const;
type Range = keyof typeof RANGES;

export function OverviewPage({ appId }: AppPageProps) {
  const [filters, apply] = useFilters('range');
  const range = filters.range && filters.range in RANGES ? (filters.range as Range) : 'day';
  const { step, seconds, steps: count } = RANGES[range];
  const loaded = useLoad(async () => {
    const now = Math.floor(Date.now() / 1_000);
    const first = now - (now % seconds) - (count - 1) * seconds;
    const query = { step, since: first };
    const { statistics } = await call(
      api.GET('/management/v1/apps/{app_id}/statistics', { params: { path: { app_id: appId }, query } }),
    );
    const steps = Array.from({ length: count }, (_, index) => first + index * seconds);
    return {
      steps,
      seriesOf: (metric: string): Series[] => {
        const found = statistics.filter((row) => row.metric === metric);
        const labels = [...new Set(found.map((row) => Object.values(row.labels)[0] ?? metric))];
        return labels.map((label) => ({
          label,
          values: steps.map((at) =>
            found
              .filter((row) => row.at === at && (Object.values(row.labels)[0] ?? metric) === label)
              .reduce((sum, { value }) => sum + value, 0),
          ),
        }));
      },
    };
  }, [appId, range]);
  return (
    <Page title={t.title}>
      <Attention appId={appId} />
      <Filter
        fields={[
          {
            name: 'range',
            label: t.range,
            type: 'select',
            value: range,
            options: (Object.keys(RANGES) as Range[]).map((name) => [name, t.ranges[name]] as const),
          },
        ]}
        apply={apply}
      />
      <Await loaded={loaded}>
        {({ steps, seriesOf }) => (
          <div class="charts">
            {METRICS.map((metric) => (
              <Chart key={metric} title={t.metrics[metric]} steps={steps} series={seriesOf(metric)} />
            ))}
          </div>
        )}
      </Await>
    </Page>
  );
}

/** How many of something an app has, as far as the first page shows: more are "25+". */
const some = (rows: readonly unknown[], hasMore: boolean): string => `${rows.length}${hasMore ? '+' : ''}`;

/** What an operator should look at. Says so when there is nothing. */
function Attention({ appId }: Pick<AppPageProps, 'appId'>) {
  const loaded = useLoad(async () => {
    const path = { app_id: appId };
    const base = `/console/apps/${appId}`;
    const [stuck, failed, dead, endpoints, keys, urls] = await Promise.all([
      call(
        api.GET('/management/v1/apps/{app_id}/transfers', {
          params: { path, query: { stuck: true, limit: 25 } },
        }),
      ),
      call(
        api.GET('/management/v1/apps/{app_id}/messages', { params: { path, query: { status: 'failed', limit: 25 } } }),
      ),
      call(api.GET('/management/v1/apps/{app_id}/jobs', { params: { path, query: { state: 'dead', limit: 25 } } })),
      call(api.GET('/management/v1/apps/{app_id}/webhook_endpoints', { params: { path, query: { limit: 100 } } })),
      call(api.GET('/management/v1/apps/{app_id}/keys', { params: { path, query: { limit: 25 } } })),
      call(api.GET('/management/v1/apps/{app_id}/redirect_urls', { params: { path, query: { limit: 1 } } })),
    ]);
    // A replica of the release before this one does not know the filter.
    const isStuck = stuck.transfers.filter((row) => row.stuck_since !== 0);
    const disabled = endpoints.webhook_endpoints.filter((row) => row.disabled_at !== 0);
    return [
      isStuck.length > 0 && {
        words: fill(t.stuck, { count: some(isStuck, stuck.has_more) }),
        href: `${base}/transfers?stuck=true`,
      },
      failed.messages.length > 0 && {
        words: fill(t.failedMessages, { count: some(failed.messages, failed.has_more) }),
        href: `${base}/messages?status=failed`,
      },
      dead.jobs.length > 0 && {
        words: fill(t.deadJobs, { count: some(dead.jobs, dead.has_more) }),
        href: `${base}/jobs?state=dead`,
      },
      disabled.length > 0 && { words: fill(t.disabledWebhooks, { count: disabled.length }), href: `${base}/webhooks` },
      keys.keys.length === 0 && { words: t.noKeys, href: `${base}/keys` },
      urls.redirect_urls.length === 0 && { words: t.noRedirects, href: `${base}/redirect-urls` },
    ].filter((item) => item !== false);
  }, [appId]);
  return (
    <Await loaded={loaded}>
      {(items) => (
        <section class={`notice ${items.length > 0 ? 'wait' : 'good'}`} aria-label={t.attention}>
          {items.length === 0 && <p>{t.allWell}</p>}
          {items.length > 0 && (
            <ul>
              {items.map(({ words, href }) => (
                <li key={href}>
                  <a href={href}>{words}</a>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </Await>
  );
}
