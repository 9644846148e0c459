/** One message of the PostgreSQL protocol: its type, and its bytes with type and length. */
export interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts a stream of bytes into messages. */
export class MessageReader {
  private rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Message[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const messages: Message[] = [];
    while (this.rest.length >= 5 && this.rest.length > this.rest.readInt32BE(1)) {
      const end = this.rest.readInt32BE(1) + 1;
      messages.push({ type: String.fromCharCode(this.rest[0]!), bytes: this.rest.subarray(0, end) });
      this.rest = this.rest.subarray(end);
    }
    return messages;
  }
}

export function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export function int32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, 4 * index);
  return bytes;
}

/** Zero-terminated strings from an offset on, at most `count`, and the offset behind them. */
export function strings(bytes: Buffer, offset: number, count: number): { texts: string[]; end: number } {
  const texts: string[] = [];
  let end = offset;
  for (; texts.length < count && end < bytes.length; end++) {
    const start = end;
    end = bytes.indexOf(0, start);
    texts.push(bytes.toString('utf8', start, end));
  }
  return { texts, end };
}

/** An ErrorResponse. */
export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}`, `V${severity}`, `C${code}`, `M${text}`, Buffer.from([0]));
}
