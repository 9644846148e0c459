import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { fill, text } from '../text.js';
import { Chart } from '../ui/chart.js';
import type { Series } from '../ui/plot.js';
import { useFilters } from '../ui/filter.js';
import { CopyField } from '../ui/dialog.js';
import { firstCall } from '../ui/first-call.js';
import { Await, Page, State } from '../ui/states.js';
import type { PageProps } from '../page.js';
import { home, root } from '../root.js';

const t = text.overview;
const METRICS = ['logins', 'login_failures', 'sends', 'signatures', 'transfers'] as const;
const RANGES = {
  day: { step: 'hour', seconds: 3_600, steps: 24 },
  week: { step: 'hour', seconds: 3_600, steps: 7 * 24 },
  month: { step: 'day', seconds: 86_400, steps: 30 },
} as const;
type Range = keyof typeof RANGES;

export function OverviewPage({ appId }: PageProps) {
  const options = (Object.keys(RANGES) as Range[]).map((name) => [name, t.ranges[name]] as const);
  const { values, form } = useFilters([{ name: 'range', label: t.range, options }]);
  const range = values.range && values.range in RANGES ? (values.range as Range) : 'day';
  const { step, seconds, steps: count } = RANGES[range];
  const loaded = useLoad(async () => {
    const now = Math.floor(Date.now() / 1_000);
    const first = now - (now % seconds) - (count - 1) * seconds;
    const query = { step, since: first - count * seconds };
    const { statistics } = await call(
      api.GET('/management/v1/apps/{app_id}/statistics', { params: { path: { app_id: appId }, query } }),
    );
    const steps = Array.from({ length: count }, (_, index) => first + index * seconds);
    return METRICS.map((metric) => {
      const found = statistics.filter((row) => row.metric === metric);
      const labelOf = ({ labels }: (typeof found)[number]): string => Object.values(labels)[0] ?? metric;
      const valuesAt = (shift: number, rows: typeof found): number[] =>
        steps.map((at) => rows.filter((row) => row.at === at - shift).reduce((sum, { value }) => sum + value, 0));
      const labels = [...new Set(found.filter(({ at }) => at >= first).map(labelOf))];
      return {
        metric,
        steps,
        before: valuesAt(count * seconds, found),
        series: labels.map((label): Series => ({
          label,
          values: valuesAt(
            0,
            found.filter((row) => labelOf(row) === label),
          ),
        })),
      };
    });
  }, [appId, range]);
  return (
    <Page title={t.title}>
      <Attention appId={appId} />
      <Onboarding appId={appId} />
      {form}
      <Await loaded={loaded}>
        {(charts) => (
          <div class="charts">
            {charts.map(({ metric, ...chart }) => (
              <Chart key={metric} title={t.metrics[metric]} {...chart} />
            ))}
          </div>
        )}
      </Await>
    </Page>
  );
}

/** The next steps of an app that no program has called yet. */
function Onboarding({ appId }: Pick<PageProps, 'appId'>) {
  const o = text.onboarding;
  const base = `${home}/apps/${appId}`;
  const loaded = useLoad(async () => {
    const params = { path: { app_id: appId }, query: { limit: 100 } };
    const [{ keys }, { redirect_urls: urls }, { webhook_endpoints: endpoints }] = await Promise.all([
      call(api.GET('/management/v1/apps/{app_id}/keys', { params })),
      call(api.GET('/management/v1/apps/{app_id}/redirect_urls', { params })),
      call(api.GET('/management/v1/apps/{app_id}/webhook_endpoints', { params })),
    ]);
    if (keys.some((key) => key.last_used_at !== 0)) return null;
    return [
      { words: o.key, page: 'keys', isDone: keys.some(({ kind }) => kind === 'secret') },
      { words: o.redirects, page: 'redirect-urls', isDone: urls.length > 0 },
      { words: o.webhooks, page: 'webhooks', isDone: endpoints.length > 0 },
    ];
  }, [appId]);
  // The list above shows the failure of the same call.
  if (!loaded.data) return null;
  return (
    <section class="card">
      <h2>{o.title}</h2>
      <p>{o.intro}</p>
      <ul class="plain">
        {loaded.data.map(({ words, page, isDone }) => (
          <li key={page}>
            <State of={isDone ? o.done : o.open} tone={isDone ? 'good' : 'plain'} />{' '}
            <a href={`${base}/${page}`}>{words}</a>
          </li>
        ))}
      </ul>
      <CopyField label={o.call} value={firstCall('$SECRET')} />
      <p>
        <a href={`${root}/guide/first-login`}>{o.guide}</a>
      </p>
    </section>
  );
}

function Attention({ appId }: Pick<PageProps, 'appId'>) {
  const loaded = useLoad(async () => {
    const path = { app_id: appId };
    const base = `${home}/apps/${appId}`;
    const query = <Filter extends object>(filter: Filter) => ({ params: { path, query: { limit: 25, ...filter } } });
    const [stuck, failed, dead, endpoints, keys, urls] = await Promise.all([
      call(api.GET('/management/v1/apps/{app_id}/transfers', query({ stuck: true }))),
      call(api.GET('/management/v1/apps/{app_id}/messages', query({ status: 'failed' as const }))),
      call(api.GET('/management/v1/apps/{app_id}/jobs', query({ state: 'dead' as const }))),
      call(api.GET('/management/v1/apps/{app_id}/webhook_endpoints', query({ limit: 100 }))),
      call(api.GET('/management/v1/apps/{app_id}/keys', query({}))),
      call(api.GET('/management/v1/apps/{app_id}/redirect_urls', query({}))),
    ]);
    const disabled = endpoints.webhook_endpoints.filter((row) => row.disabled_at !== 0);
    const failing = endpoints.webhook_endpoints.filter((row) => row.disabled_at === 0 && row.failing_since !== 0);
    // The count ends with the first page: more are shown as "25+".
    const counted = (words: string, rows: readonly unknown[], hasMore: boolean, view: string) =>
      rows.length > 0 && {
        words: fill(words, { count: `${rows.length}${hasMore ? '+' : ''}` }),
        href: `${base}/${view}`,
      };
    return [
      counted(t.stuck, stuck.transfers, stuck.has_more, 'transfers?stuck=true'),
      counted(t.failedMessages, failed.messages, failed.has_more, 'messages?status=failed'),
      counted(t.deadJobs, dead.jobs, dead.has_more, 'jobs?state=dead'),
      counted(t.disabledWebhooks, disabled, false, 'webhooks'),
      counted(t.failingWebhooks, failing, false, 'webhooks'),
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
            <ul class="plain">
              {items.map(({ words, href }) => (
                <li key={words}>
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
