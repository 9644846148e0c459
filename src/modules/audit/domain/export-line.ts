import type { ChainLink } from './chain-link.js';
import type { Checkpoint, Cut } from './checkpoint.js';
import { lineOf } from './encoding.js';

export type ExportLine =
  | { readonly type: 'chain'; readonly appId: string; readonly after: number; readonly hash: Uint8Array }
  | { readonly type: 'entry'; readonly link: ChainLink }
  | { readonly type: 'cut'; readonly cut: Cut }
  | { readonly type: 'checkpoint'; readonly checkpoint: Checkpoint };

export function writeLine(line: ExportLine): string {
  return JSON.stringify({ type: line.type, ...lineOf(contentOf(line)) });
}

function contentOf(line: ExportLine): object {
  if (line.type === 'cut') return line.cut;
  if (line.type === 'chain') return { appId: line.appId, after: line.after, hash: line.hash };
  if (line.type === 'entry') {
    const { mac: _, ...link } = line.link;
    return link;
  }
  const { kind, head, previous, ...checkpoint } = line.checkpoint;
  return { ...checkpoint, ...(kind === null ? { head, previous } : { kind }) };
}

export function readLine(text: string): ExportLine {
  const fields = new Fields(JSON.parse(text) as Record<string, unknown>);
  const type = fields.text('type');
  switch (type) {
    case 'chain':
      return { type, appId: fields.text('app_id'), after: fields.number('after'), hash: fields.bytes('hash') };
    case 'entry':
      return { type, link: linkIn(fields) };
    case 'cut':
      return {
        type,
        cut: { first: fields.number('first'), last: fields.number('last'), ...signedIn(fields) },
      };
    case 'checkpoint':
      return {
        type,
        checkpoint: {
          seq: fields.number('seq'),
          ...(fields.has('kind')
            ? { kind: fields.text('kind'), head: null, previous: null }
            : { kind: null, head: fields.number('head'), previous: fields.bytes('previous') }),
          number: fields.number('number'),
          ...signedIn(fields),
        },
      };
    default:
      throw new TypeError(`type is ${JSON.stringify(type)}.`);
  }
}

function signedIn(fields: Fields): Pick<Cut, 'hash' | 'at' | 'keyId' | 'signature'> {
  return {
    hash: fields.bytes('hash'),
    at: new Date(fields.number('at')),
    keyId: fields.text('key_id'),
    signature: fields.bytes('signature'),
  };
}

function linkIn(fields: Fields): ChainLink {
  const personalData = fields.object('personal_data');
  return {
    number: fields.number('number'),
    chainedAt: fields.text('chained_at'),
    id: fields.text('id'),
    at: fields.text('at'),
    actor: fields.text('actor'),
    action: fields.text('action'),
    target: fields.text('target'),
    fields: fields.texts('fields'),
    outcome: fields.text('outcome'),
    errorType: fields.textOrNull('error_type'),
    calls: fields.number('calls'),
    requestId: fields.textOrNull('request_id'),
    commitment: fields.textOrNull('commitment') === null ? null : fields.bytes('commitment'),
    hash: fields.bytes('hash'),
    mac: null,
    personalData: personalData && { salt: personalData.bytes('salt'), ip: personalData.text('ip') },
  };
}

class Fields {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  text(name: string): string {
    return this.of(name, 'string') as string;
  }

  has(name: string): boolean {
    return name in this.values;
  }

  number(name: string): number {
    return this.of(name, 'number') as number;
  }

  bytes(name: string): Buffer {
    return Buffer.from(this.text(name), 'hex');
  }

  textOrNull(name: string): string | null {
    return this.values[name] === null ? null : this.text(name);
  }

  texts(name: string): string[] {
    const value = this.values[name];
    if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
      throw new TypeError(`${name} is no list of strings.`);
    return value as string[];
  }

  object(name: string): Fields | null {
    const value = this.of(name, 'object') as Record<string, unknown> | null;
    return value && new Fields(value);
  }

  private of(name: string, type: string): unknown {
    const value = this.values[name];
    if (typeof value !== type) throw new TypeError(`${name} is no ${type}.`);
    return value;
  }
}
