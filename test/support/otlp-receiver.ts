import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the collector got it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: number;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly headers: Record<string, unknown>[];
  /** The attributes of the process. */
  resource(): Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** A collector of OpenTelemetry that keeps the spans of both protocols. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const [spans, headers] = [[] as ReceivedSpan[], [] as Record<string, unknown>[]];
  let resource: Readonly<Record<string, unknown>> = {};
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      const isJson = request.headers['content-type'] === 'application/json';
      for (const group of isJson ? inJson(body) : inProtobuf(body)) {
        ({ resource } = group);
        spans.push(...group.spans);
      }
      headers.push({ path: request.url, ...request.headers });
      response.writeHead(200).end();
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    resource: () => resource,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Group {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly ReceivedSpan[];
}

interface JsonValue {
  readonly stringValue?: string;
  readonly intValue?: string;
}
type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];
interface JsonSpan extends Omit<ReceivedSpan, 'attributes' | 'status' | 'start' | 'end'> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: JsonAttributes;
  readonly status: { readonly code: number };
}
interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: JsonAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

function inJson(body: Buffer): readonly Group[] {
  const attributesOf = (attributes: JsonAttributes) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
  return (JSON.parse(body.toString()) as JsonRequest).resourceSpans.map(({ resource, scopeSpans }) => ({
    resource: attributesOf(resource.attributes),
    spans: scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, attributes, status, ...span }) => ({
        ...span,
        start: BigInt(startTimeUnixNano),
        end: BigInt(endTimeUnixNano),
        attributes: attributesOf(attributes),
        status: status.code,
      })),
    ),
  }));
}

/** The values of a message of Protocol Buffers by the numbers of their fields, as the wire has them. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let [value, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = BigInt(bytes[at++]!);
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    let value: Buffer | bigint;
    if ((tag & 7) === 0) value = varint();
    else {
      const length = (tag & 7) === 1 ? 8 : Number(varint());
      value = bytes.subarray(at, (at += length));
    }
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** The numbers of the fields are those of opentelemetry/proto/trace/v1/trace.proto. */
function inProtobuf(body: Buffer): readonly Group[] {
  const messages = (bytes: Buffer, number: number) => (fieldsOf(bytes).get(number) ?? []) as readonly Buffer[];
  const text = (bytes: Buffer, number: number) => messages(bytes, number)[0]?.toString();
  const hex = (bytes: Buffer, number: number) => messages(bytes, number)[0]?.toString('hex');
  const attributesOf = (bytes: Buffer, number: number) =>
    Object.fromEntries(
      messages(bytes, number).map((attribute) => {
        const [value] = messages(attribute, 2);
        return [text(attribute, 1)!, text(value!, 1) ?? Number(fieldsOf(value!).get(3)?.[0])];
      }),
    );
  return messages(body, 1).map((group) => ({
    resource: attributesOf(messages(group, 1)[0]!, 1),
    spans: messages(group, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        traceId: hex(span, 1)!,
        spanId: hex(span, 2)!,
        parentSpanId: hex(span, 4),
        name: text(span, 5)!,
        kind: Number(fieldsOf(span).get(6)?.[0]),
        start: messages(span, 7)[0]!.readBigUInt64LE(),
        end: messages(span, 8)[0]!.readBigUInt64LE(),
        attributes: attributesOf(span, 9),
        status: Number(fieldsOf(messages(span, 15)[0]!).get(3)?.[0] ?? 0),
      })),
  }));
}
