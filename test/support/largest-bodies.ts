import { readFileSync } from 'node:fs';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly example?: unknown;
}

const { schemas } = (
  JSON.parse(readFileSync('openapi/openapi.json', 'utf8')) as { components: { schemas: Record<string, Schema> } }
).components;

const BODY_BYTES = 256 * 1024;
const FORM_BYTES = 16 * 1024;
const BODY_VALUES = 10_000;
const NAMES = 256;
const LEVELS = 17;

/** Fields that select what happens. With another value the call would end before it does its work. */
const SELECTS = /^session_|token|^code|signature|_id$|^id$|^otp$|^totp$|kind|operator|starting_after|challenge/;

/** What the document cannot say: the largest values of fields that are objects of any content, or that must fit together. */
const VALUES: Readonly<Record<string, object>> = {
  wallet_signTypedData: {
    typed_data: {
      domain: { name: 'x'.repeat(1_000) },
      types: { Greetings: [{ name: 'texts', type: 'string[]' }] },
      primaryType: 'Greetings',
      message: { texts: Array<string>(1_000).fill('é'.repeat(100)) },
    },
  },
  wallet_signTransaction: {
    eth_transaction: {
      to: `0x${'12'.repeat(20)}`,
      value: '1',
      nonce: 0,
      gas: 21_000,
      chainId: 31_337,
      maxFeePerGas: '2',
      maxPriorityFeePerGas: '1',
      data: `0x${'ab'.repeat(65_536)}`,
    },
  },
};

/** Where all fields as long as they may be are longer than a text may be. */
const LARGEST_PART: Readonly<Record<string, number>> = { migration_import: 1 / 1_024 };

/** The largest bodies of an operation: the example and its fields as long as they may be, both filled up with fields that are ignored. */
export function largestBodies(operationId: string, media: string, schema: object, example: object): string[] {
  if (!media.includes('json')) {
    const form = new URLSearchParams({ ...example, state: '+'.repeat(1_000) }).toString();
    return [`${form}&x=`.padEnd(FORM_BYTES, '+')];
  }
  const known = { ...example, ...VALUES[operationId] };
  // A body in which everything is as long as it may be is often longer than a body may be.
  for (let part = LARGEST_PART[operationId] ?? 1; ; part /= 2) {
    const grown = { ...known, ...(new Growth(part).largest(schema, '', known) as object), ...VALUES[operationId] };
    if (Buffer.byteLength(JSON.stringify(grown)) < BODY_BYTES - 1_000) return [known, grown].map(filled);
  }
}

function filled(body: object): string {
  const count = (text: string) => text.split(',').length;
  const object = Object.fromEntries(Array.from({ length: NAMES - 1 }, (_, i) => [`n${i}`, 1]));
  const deep = Array.from({ length: LEVELS }).reduce<unknown>((inner) => [inner], '\\u00e9');
  const filler: unknown[] = [deep];
  const text = JSON.stringify({ ...body, filler });
  let [bytes, values] = [Buffer.byteLength(text), count(text)];
  const [more, perObject] = [JSON.stringify(object).length + 1, NAMES - 1];
  while (bytes + more < BODY_BYTES - 100 && values + perObject < BODY_VALUES - 10) {
    filler.push(object);
    [bytes, values] = [bytes + more, values + perObject];
  }
  const rest = Math.max(0, BODY_BYTES - Buffer.byteLength(JSON.stringify({ ...body, filler, rest: '' })));
  return JSON.stringify({ ...body, filler, rest: 'x'.repeat(rest) });
}

function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(schemas[schema.$ref.split('/').at(-1)!]!);
  const [first] = schema.anyOf ?? (schema.properties ? [] : (schema.allOf ?? []));
  return first ? { ...schema, ...resolved(first) } : schema;
}

/** Values with this part of the length that they may have. */
class Growth {
  constructor(private readonly part: number) {}

  largest(given: Schema, name: string, example: unknown): unknown {
    const schema = resolved(given);
    const types = [schema.type].flat();
    if (schema.properties) {
      const fields = Object.entries(schema.properties).map(([key, field]) => [
        key,
        this.largest(field, key, (example as Record<string, unknown> | undefined)?.[key] ?? field.example),
      ]);
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    if (types.includes('array')) {
      const [item] = (example as unknown[] | undefined) ?? [];
      const length = Math.ceil((schema.maxItems ?? 1) * this.part);
      return Array.from({ length }, () => this.largest(schema.items!, name, item));
    }
    if (!types.includes('string')) return example;
    return SELECTS.test(name) || schema.enum ? example : this.longest(schema, name, example);
  }

  private longest({ maxLength = 1_024, pattern, format }: Schema, name: string, example: unknown): unknown {
    const length = Math.ceil(maxLength * this.part);
    if (name === 'html' || name === 'text')
      return `{{link}}{{code}}{{${' '.repeat(length / 2)}`.padEnd(length, '{{x}}');
    if (format === 'email' || name === 'email') return `${'x'.repeat(64)}@${'a.'.repeat(90)}example`;
    if (format === 'uri' || /url|origin|issuer/.test(name)) return 'https://app.example.com/'.padEnd(length, 'x');
    return pattern !== undefined && pattern !== '\\S' ? example : 'x'.repeat(length);
  }
}

const POLICY = { name: 'Payouts', scope: { kind: 'app' } };
/** The JSON of a policy, without blanks, see `LargestJson`. */
const POLICY_BYTES = 80 * 1024;

const rulesOf = (count: number, rule: (index: number) => object): string =>
  JSON.stringify({ ...POLICY, rules: Array.from({ length: count }, (_, index) => rule(index)) });

/** Policies at their bounds, with the status of the response. */
export const LARGEST_POLICIES: readonly { readonly body: string; readonly status: number }[] = [
  // As many windows as there may be.
  {
    status: 200,
    body: rulesOf(50, () => ({
      effect: 'allow',
      match: { assets: ['ethereum'] },
      windows: Array.from({ length: 10 }, (_, index) => ({ seconds: 60 + index, max_amount: '1000', max_count: 5 })),
    })),
  },
  // As many addresses as fit into the bytes that are stored. In lower case, so that each needs a hash.
  {
    status: 200,
    body: rulesOf(14, (rule) => ({
      effect: 'deny',
      match: {
        destinations: Array.from(
          { length: 98 },
          (_, index) => `0x${(rule * 100 + index + 0xabcdef).toString(16).padStart(40, 'a')}`,
        ),
      },
    })),
  },
  // Values of another type.
  {
    status: 400,
    body: rulesOf(50, () => ({
      effect: 'allow',
      windows: Array(10).fill({ seconds: 'x', max_amount: {}, max_count: [], per: 1 }),
    })),
  },
  {
    status: 400,
    body: rulesOf(50, () => ({ effect: 'allow', match: { destinations: Array(100).fill('0x12345678') } })),
  },
  // Beyond the bounds.
  { status: 413, body: rulesOf(1, () => ({ effect: 'allow' })).padEnd(2 * POLICY_BYTES + 1, ' ') },
  {
    status: 413,
    body: rulesOf(50, () => ({ effect: 'allow', match: { destinations: Array(100).fill('0x1234567890abcdef') } })),
  },
  {
    status: 413,
    body: rulesOf(50, () => ({ effect: 'allow', match: { destinations: Array(100).fill(`0x${'ab'.repeat(20)}`) } })),
  },
];
