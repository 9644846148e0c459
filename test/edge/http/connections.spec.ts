import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenConnections } from '../../../src/edge/http/connections.js';
import { connectionLimits, httpServer } from '../../../src/edge/http/http-server.js';
import { mostConnections, openFilesFault, openFilesLimit } from '../../../src/services/open-files.js';

const [FIRST, SECOND, THIRD] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
const LIMITS = { total: 8, perNetwork: 4, reserve: 2 };

let server: Server;
let connections: OpenConnections;
let waiting: ServerResponse[];
let sockets: Socket[];

beforeEach(async () => {
  [waiting, sockets] = [[], []];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url === '/slow') waiting.push(response);
    else if (request.url === '/long') response.end(Buffer.alloc(32 * 1024 * 1024));
    else if (request.url === '/body') request.resume().once('end', () => response.end('read'));
    else response.end('done');
  };
  ({ server, connections } = httpServer(listener, { baseUrl: 'https://id.example', trustsProxy: false }, LIMITS));
  server.listen(0, FIRST);
  await once(server, 'listening');
});
afterEach(async () => {
  sockets.forEach((socket) => socket.destroy());
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection that was accepted, after it sent `text` if any. */
async function open(from: string, text?: string): Promise<Socket & { readonly received: string[] }> {
  const accepted = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const socket = Object.assign(connect({ port, host: FIRST, localAddress: from }), { received: [] as string[] });
  sockets.push(socket);
  socket.on('error', () => undefined);
  if (text !== '/long') socket.setEncoding('utf8').on('data', (part: string) => socket.received.push(part));
  await accepted;
  if (text !== undefined) await ask(socket, text);
  return socket;
}

async function ask(socket: Socket, path: string): Promise<void> {
  const isBody = path === '/body';
  const arrived = once(server, 'request');
  socket.write(
    `${isBody ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: a\r\n${isBody ? 'Content-Length: 9\r\n' : ''}\r\n`,
  );
  await arrived;
}

/** What a new connection gets for `path`. */
async function answerFor(from: string, path: string): Promise<string> {
  const socket = await open(from, path);
  while (!socket.received.join('').includes('\r\n\r\n')) await once(socket, 'data');
  return socket.received.join('');
}

async function isClosed(socket: Socket): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return socket.destroyed || socket.readableEnded;
}

it('a network with as many connections as it may have gives up its longest idle one, and no other network notices', async () => {
  const other = await open(SECOND);
  const [oldest, used, ...rest] = [await open(FIRST), await open(FIRST), await open(FIRST), await open(FIRST)];
  await ask(oldest, '/done');
  expect(await answerFor(FIRST, '/readyz')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await Promise.all([used, oldest, other, ...rest].map(isClosed))).toEqual([true, false, false, false, false]);
  expect(await answerFor(SECOND, '/done')).toMatch(/^HTTP\/1\.1 200 /);
});

it('a full server gives up the longest idle connection of all', async () => {
  const all: Socket[] = [];
  for (const from of [FIRST, FIRST, FIRST, FIRST, SECOND, SECOND, SECOND, SECOND]) all.push(await open(from));
  expect(await answerFor(THIRD, '/done')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await Promise.all(all.map(isClosed))).toEqual([true, ...Array<boolean>(7).fill(false)]);
});

it.each([
  ['whose request is not complete', async () => (await open(FIRST)).write('GET / HTTP/1.1\r\nHost')],
  ['whose body is not complete', () => open(FIRST, '/body')],
  ['whose response is not read', () => open(FIRST, '/long')],
])('a connection %s counts as idle', async (_, hold) => {
  await hold();
  const [held] = sockets;
  for (let i = 1; i < LIMITS.perNetwork; i++) await open(FIRST, '/slow');
  expect(await answerFor(FIRST, '/done')).toMatch(/^HTTP\/1\.1 200 /);
  // What the server had sent must be read before the end is seen.
  if (!held!.destroyed) await once(held!.resume(), 'close');
});

it('where every connection of a network is worked on, health alone is answered on further ones', async () => {
  const working = [];
  for (let i = 0; i < LIMITS.perNetwork; i++) working.push(await open(FIRST, '/slow'));
  for (let i = 0; i < 5; i++) await open(FIRST);
  for (const path of ['/livez', '/readyz?x=1']) expect(await answerFor(FIRST, path)).toMatch(/^HTTP\/1\.1 200 /);
  const refusal = await answerFor(FIRST, '/done');
  expect(refusal).toMatch(/^HTTP\/1\.1 503 [^]*connection: close\r\nretry-after: 1/i);
  expect(refusal).toContain('"error_type":"too_many_connections"');
  expect(await answerFor(SECOND, '/done')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await Promise.all(working.map(isClosed))).toEqual([false, false, false, false]);
});

it('one network may have a quarter of 10,000 connections, but all of them where it is a proxy', () => {
  const most = mostConnections(Infinity);
  expect(connectionLimits({ trustsProxy: false }, most)).toEqual({ total: 9_900, perNetwork: 2_500, reserve: 50 });
  expect(connectionLimits({ trustsProxy: true }, most)).toEqual({ total: 9_900, perNetwork: 9_900, reserve: 50 });
});

it('takes fewer connections where the process may open few files, and reports it', () => {
  const limits = join(mkdtempSync(join(tmpdir(), 'limits-')), 'limits');
  writeFileSync(limits, 'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024     4096     files\n');
  const openFiles = openFilesLimit(limits);
  expect(connectionLimits({ trustsProxy: false }, mostConnections(openFiles))).toMatchObject({
    total: 724,
    perNetwork: 206,
  });
  expect(openFilesFault(openFiles)).toMatch(/1024 files, so it takes 824 connections/);
  expect(openFilesFault(openFilesLimit('/none'))).toBeNull();
});

it('when the server ends, idle connections close at once and each other one after its response', async () => {
  const [idle, working] = [await open(FIRST, '/done'), await open(FIRST, '/slow')];
  const sending = await open(FIRST, '/slow');
  waiting[1]!.write('first part');
  await once(sending, 'data');
  const closed = new Promise((resolve) => server.close(resolve));
  connections.end();
  expect(await isClosed(idle)).toBe(true);
  waiting.forEach((response) => response.end('last part'));
  await Promise.all([closed, once(working, 'close'), once(sending, 'close')]);
  expect(working.received.join('')).toMatch(/connection: close\r\n[^]*last part/i);
  expect(sending.received.join('')).toContain('last part');
});
