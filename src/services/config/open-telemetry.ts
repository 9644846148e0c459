import type { EnvironmentReader } from './environment-reader.js';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export interface OpenTelemetrySettings {
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The part of the traces that is sampled, if `sampler` is by ratio. */
  readonly ratio: number;
}

export function openTelemetryIn(read: EnvironmentReader): OpenTelemetrySettings | undefined {
  const ofTraces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])?.replace(/\/+$/, '');
  const exporter = read.oneOf<'otlp' | 'none'>('OTEL_TRACES_EXPORTER', ['otlp', 'none'], base ? 'otlp' : 'none');
  const own = read.url(ofTraces, ['http:', 'https:']);
  const isAsked = exporter === 'otlp' || (own !== undefined && read.text('OTEL_TRACES_EXPORTER') === undefined);
  const settings = {
    url: own ?? `${base ?? 'http://localhost:4318'}/v1/traces`,
    protocol: read.oneOf(
      firstSet(read, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'),
      PROTOCOLS,
      'http/protobuf',
    ),
    headers: pairs(read, firstSet(read, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS')),
    timeoutMs: read.integer(
      firstSet(read, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
      10_000,
      1,
      60_000,
    ),
    resource: {
      ...pairs(read, 'OTEL_RESOURCE_ATTRIBUTES'),
      'service.name':
        read.text('OTEL_SERVICE_NAME') ??
        pairs(read, 'OTEL_RESOURCE_ATTRIBUTES')['service.name'] ??
        'identity-and-wallets',
    },
    sampler: read.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    ratio: ratio(read, 'OTEL_TRACES_SAMPLER_ARG'),
  };
  return isAsked && !read.flag('OTEL_SDK_DISABLED', false) ? settings : undefined;
}

function firstSet(read: EnvironmentReader, ...names: readonly string[]): string {
  return names.find((name) => read.text(name) !== undefined) ?? names.at(-1)!;
}

/** `name=value,…`, percent-encoded. */
function pairs(read: EnvironmentReader, name: string): Record<string, string> {
  try {
    return Object.fromEntries(
      (read.text(name)?.split(',') ?? []).map((pair) => {
        const [, key, value] = /^\s*([\w.-]+)\s*=(.*)$/.exec(pair)!;
        return [key!, decodeURIComponent(value!.trim())];
      }),
    );
  } catch {
    read.faults.push(`${name} must be name=value, separated by commas and percent-encoded.`);
    return {};
  }
}

function ratio(read: EnvironmentReader, name: string): number {
  const value = Number(read.text(name) ?? 1);
  if (value >= 0 && value <= 1) return value;
  read.faults.push(`${name} must be a number from 0 to 1.`);
  return 1;
}
