import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

export interface ReceivedSms {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly to: string;
  readonly body: string;
  /** All fields of the request, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An SMS gateway on loopback with the protocol of `SMS_URL` or of Twilio. */
export interface SmsSink {
  /** For `SMS_URL`, or `TWILIO_URL`. */
  readonly url: string;
  /** The accepted SMS, in the order of arrival. */
  readonly messages: readonly ReceivedSms[];
  /** The number of requests, including refused ones. */
  readonly requests: number;
  /** Waits for an SMS to this number and returns the newest one. */
  smsTo(number: string): Promise<ReceivedSms>;
  /** Answers the next requests with these statuses and accepts none of them. */
  refuse(...statuses: number[]): void;
  /** Answers the next accepted SMS with this text, in this content coding. */
  answer(text: string, coding: string): void;
  stop(): Promise<void>;
}

export async function startSmsSink(): Promise<SmsSink> {
  const messages: ReceivedSms[] = [];
  const refusals: number[] = [];
  let odd: [text: string, coding: string] | undefined;
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests++;
      const status = refusals.shift();
      if (status !== undefined) return response.writeHead(status).end();
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers['content-type'] === 'application/json';
      const fields = (isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))) as Record<
        string,
        string
      >;
      const [to, body] = [fields['to'] ?? fields['To'] ?? '', fields['body'] ?? fields['Body'] ?? ''];
      messages.push({ path: request.url ?? '', headers: request.headers, to, body, fields });
      const [answer, coding] = odd ?? ['{}', 'identity'];
      odd = undefined;
      const type = { 'content-type': 'application/json', 'content-encoding': coding };
      response.writeHead(isJson ? 200 : 201, type).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    get requests() {
      return requests;
    },
    smsTo: (number) =>
      eventually(() => {
        const found = messages.findLast(({ to }) => to === number);
        if (!found) throw new Error(`No SMS to ${number} came.`);
        return found;
      }),
    refuse: (...statuses) => void refusals.push(...statuses),
    answer: (text, coding) => void (odd = [text, coding]),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
