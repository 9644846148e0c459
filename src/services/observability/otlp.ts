import type { AttributeValue, Attributes, HrTime } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

// The packages for this protocol bring those of metrics and of the log, 10 MB in all, for one message.

export function requestOf(spans: readonly ReadableSpan[], resource: Attributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: spans[0]?.instrumentationScope.name ?? '' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf(span: ReadableSpan): object {
  const { traceId, spanId, traceState } = span.spanContext();
  const parent = span.parentSpanContext?.spanId;
  const { code, message } = span.status;
  return {
    traceId,
    spanId,
    ...(traceState && { traceState: traceState.serialize() }),
    ...(parent !== undefined && { parentSpanId: parent }),
    name: span.name,
    // The protocol counts from 1, because 0 is an unknown kind.
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: attributesOf(span.attributes),
    status: { ...(message !== undefined && { message }), code },
  };
}

function nanoseconds([seconds, rest]: HrTime): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(Math.round(rest)));
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: AttributeValue): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: String(value) };
}

type Field = readonly [number: number, type: 'text' | 'hex' | 'varint' | 'fixed64' | 'double' | Fields];
type Fields = Readonly<Record<string, Field>>;

const VALUE: Fields = {
  stringValue: [1, 'text'],
  boolValue: [2, 'varint'],
  intValue: [3, 'varint'],
  doubleValue: [4, 'double'],
};
const ATTRIBUTES: Fields = { key: [1, 'text'], value: [2, VALUE] };
const SPANS: Fields = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'text'],
  parentSpanId: [4, 'hex'],
  name: [5, 'text'],
  kind: [6, 'varint'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, ATTRIBUTES],
  status: [15, { message: [2, 'text'], code: [3, 'varint'] }],
};
export const REQUEST: Fields = {
  resourceSpans: [
    1,
    {
      resource: [1, { attributes: [1, ATTRIBUTES] }],
      scopeSpans: [2, { scope: [1, { name: [1, 'text'] }], spans: [2, SPANS] }],
    },
  ],
};

export function encoded(message: object, fields: Fields = REQUEST): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(message) as [string, unknown][]) {
    const [number, type] = fields[name]!;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof type === 'object') parts.push(withLength(number, encoded(each as object, type)));
      else if (type === 'text') parts.push(withLength(number, Buffer.from(each as string)));
      else if (type === 'hex') parts.push(withLength(number, Buffer.from(each as string, 'hex')));
      else if (type === 'varint') parts.push(varint(number << 3), varint(each as number));
      else parts.push(varint((number << 3) | 1), eightBytes(type, each));
    }
  }
  return Buffer.concat(parts);
}

function withLength(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function eightBytes(type: 'fixed64' | 'double', value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  if (type === 'double') bytes.writeDoubleLE(value as number);
  else bytes.writeBigUInt64LE(BigInt(value as string));
  return bytes;
}

/** Two's complement of 64 bits. */
function varint(value: number | boolean | string): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const isLast = rest < 0x80n;
    bytes.push(Number(rest & 0x7fn) | (isLast ? 0 : 0x80));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}
