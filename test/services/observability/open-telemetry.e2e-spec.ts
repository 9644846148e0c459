import { currentTracing } from '../../../src/kernel/tracing.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.js';
import { type Receiver, startReceiver } from '../../modules/webhooks/webhook-receiver.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

let collector: OtlpReceiver;
let receiver: Receiver;

beforeEach(async () => {
  [collector, receiver] = [await startOtlpReceiver(), await startReceiver()];
});
afterEach(async () => {
  await collector.stop();
  await receiver.stop();
});

/** The spans of a service with these settings, which made `calls` and has ended. */
async function spansOf(env: Record<string, string>, calls: (app: TestApp) => Promise<void>): Promise<ReceivedSpan[]> {
  const app = await startApp({ env });
  await calls(app).finally(() => app.stop());
  return collector.spans;
}

/** Creates a user in a trace of the caller, with a webhook that hears of it. */
async function createUser(app: TestApp): Promise<void> {
  const { id, secretKey } = await app.given.app();
  await app.ok('POST', `/management/v1/apps/${id}/webhook_endpoints`, {
    key: app.managementKey,
    body: { url: receiver.url, event_types: ['user.created'] },
  });
  await app.ok('POST', '/v1/auth/users/create', {
    key: secretKey,
    body: { email: 'ann@example.com' },
    headers: { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'traced-1' },
  });
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
}

describe.each(['http/json', 'http/protobuf'])('spans by %s', (protocol) => {
  it('lead from a request to its use case and its statements, in the trace of the caller', async () => {
    const spans = await spansOf(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=our%20bank',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      },
      createUser,
    );
    const own = spans.filter(({ traceId }) => traceId === TRACE);
    const request = own.find(({ name }) => name === 'POST /v1/auth/users/create')!;
    expect(request).toMatchObject({
      parentSpanId: CALLER,
      kind: 2,
      attributes: { 'http.response.status_code': 200, 'request.id': 'traced-1', 'http.route': '/v1/auth/users/create' },
    });
    const useCase = own.find(({ parentSpanId, name }) => parentSpanId === request.spanId && /^[A-Z]/.test(name))!;
    const statement = own.find(({ name }) => name === 'insert users')!;
    const parents = ancestorsOf(statement, own);
    expect(parents).toEqual(expect.arrayContaining([useCase.spanId, request.spanId]));
    expect(statement.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    expect(statement.start >= request.start && statement.end <= request.end).toBe(true);
    expect(
      JSON.stringify(own, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain('ann@example.com');
    expect(collector.headers[0]).toMatchObject({ path: '/v1/traces', 'x-tenant': 'our bank' });
    expect(collector.resource()).toMatchObject({
      'service.name': 'identity-and-wallets',
      'deployment.environment': 'test',
    });
  });
});

/** The ids of the spans above a span. */
function ancestorsOf({ parentSpanId }: ReceivedSpan, all: readonly ReceivedSpan[]): string[] {
  const parent = all.find(({ spanId }) => spanId === parentSpanId);
  return parent ? [parent.spanId, ...ancestorsOf(parent, all)] : [];
}

describe('spans', () => {
  it('of a delivery begin a trace, which the receiver can go on with', async () => {
    const spans = await spansOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, createUser);
    const delivery = spans.find(({ name }) => name === 'webhook delivery')!;
    expect(delivery).toMatchObject({ parentSpanId: undefined, kind: 5 });
    const call = spans.find(
      ({ parentSpanId, kind }) =>
        parentSpanId !== undefined && kind === 3 && parentSpanId === useCaseBelow(delivery, spans),
    )!;
    expect(call.name).toBe(`POST ${new URL(receiver.url).host}`);
    expect(receiver.requests[0]!.headers['traceparent']).toBe(`00-${delivery.traceId}-${call.spanId}-01`);
  });

  it('are not made of traces that are not sampled, nor of probes', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const spans = await spansOf({ ...env, OTEL_TRACES_SAMPLER: 'always_off' }, async (app) => {
      await app.ok('GET', '/readyz');
      await createUser(app);
    });
    expect(spans).toEqual([]);
    const all = await spansOf(env, async (app) => void (await app.ok('GET', '/readyz')));
    expect(all.filter(({ name }) => name.includes('readyz'))).toEqual([]);
  });

  it('are not made where they are switched off', async () => {
    const spans = await spansOf({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, async () =>
      expect(currentTracing()).toBeUndefined(),
    );
    expect(spans).toEqual([]);
  });

  it('that no collector takes are dropped, and calls go on', async () => {
    await collector.stop();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    await expect(spansOf(env, createUser)).resolves.toEqual([]);
    collector = await startOtlpReceiver();
  });
});

function useCaseBelow({ spanId }: ReceivedSpan, all: readonly ReceivedSpan[]): string {
  return all.find(({ parentSpanId }) => parentSpanId === spanId)!.spanId;
}
