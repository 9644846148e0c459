import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

export interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request and follows no redirect, with half the processor time of `fetch`: tests send a hundred thousand. */
export async function send(
  to: string | URL,
  { method, headers, body }: Sent,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  // Not every method has a length by itself.
  const length = body !== undefined && { 'content-length': Buffer.byteLength(body) };
  const all = { accept: '*/*', 'user-agent': 'node', ...length, ...headers };
  const sent = request(to, { method, agent, headers: all }).end(body);
  // What comes after the response began is an error of the response too.
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answered = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values!) answered.append(name, value);
  return { status: response.statusCode!, headers: answered, text: await textOf(response) };
}

export async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(message, 'end');
  return text;
}
