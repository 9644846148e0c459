import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { eventually } from '../../support/eventually.js';
import { OperatorEndpoint } from '../../../src/services/outbound/operator-endpoint.js';

let server: Server;
let listener: RequestListener;
let connections: number;
let ended: number;
beforeEach(async () => {
  connections = ended = 0;
  server = createServer((request, response) => listener(request, response));
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (ended += 1)).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const endpoint = (user = '') =>
  new OperatorEndpoint(`http://${user}127.0.0.1:${(server.address() as AddressInfo).port}/path?key=1`);

describe('a URL of the operator', () => {
  it('receives its path, query and credentials', async () => {
    listener = ({ method, url, headers: { authorization, 'content-type': type } }, response) => {
      response.writeHead(418).end(JSON.stringify({ method, url, authorization, type }));
    };
    const { status, body } = await endpoint('user:p%40ss@').post('{}', {});
    expect({ status, ...JSON.parse(body.toString()) }).toEqual({
      status: 418,
      method: 'POST',
      url: '/path?key=1',
      authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
      type: 'application/json',
    });
  });

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['GZip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('returns content in the coding %s uncompressed', async (coding, encode) => {
    const content = 'ab'.repeat(100_000);
    listener = (_, response) => void response.writeHead(200, { 'Content-Encoding': coding }).end(encode(content));
    expect((await endpoint().post('{}', {})).body.toString()).toBe(content);
  });

  it('keeps its connection for the next call', async () => {
    listener = (_, response) => void response.end('{}');
    const one = endpoint();
    for (let i = 0; i < 3; i++) await one.post('{}', {});
    expect(connections).toBe(1);
  });

  it.each([
    ['does not begin its answer', () => {}],
    ['does not end its answer', (_, response) => void response.write('{')],
  ] as [string, RequestListener][])('that %s is left at the time limit, with its connection', async (_, silent) => {
    listener = silent;
    await expect(endpoint().post('{}', { signal: AbortSignal.timeout(100) })).rejects.toThrow(
      expect.objectContaining({ name: 'TimeoutError' }),
    );
    while (ended === 0) await new Promise(setImmediate);
  });

  it.each([
    ['plain', {}, Buffer.alloc(2_000)],
    ['compressed', { 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(2_000))],
  ])('is not read beyond the most bytes, %s', async (_, headers, content) => {
    listener = (__, response) => void response.writeHead(200, headers).end(content);
    await expect(endpoint().post('{}', { maxBytes: 1_000 })).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('fails when the response changes the protocol, instead of waiting without end', async () => {
    listener = ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await expect(endpoint().post('{}', { signal: AbortSignal.timeout(60_000) })).rejects.toMatchObject({
      reason: 'unreachable',
    });
  });

  it('fails when the connection breaks during the response', async () => {
    listener = (_, response) => void response.write('half', () => response.destroy());
    await expect(endpoint().post('{}', {})).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each<[string, RequestListener]>([
    [
      'plain and without an end',
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'compressed',
      (_, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(65 << 20, ' ')));
      },
    ],
  ])('is not read beyond 64 MiB by default, %s', async (_, respond) => {
    listener = respond;
    await expect(endpoint().post('{}', {})).rejects.toMatchObject({ reason: 'too_large' });
    await eventually(() => expect(ended).toBe(connections));
  });

  it('fails when the compressed response is damaged', async () => {
    listener = (_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not gzip');
    await expect(endpoint().post('{}', {})).rejects.toMatchObject({ reason: 'undecodable' });
  });
});
