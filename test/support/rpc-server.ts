import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from './send.js';

export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Serves JSON-RPC, batches too. `answer` is called for one request at a time, in their order. */
export async function serveRpc(
  answer: (request: RpcRequest) => Promise<RpcAnswer>,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const answersTo = async (request: IncomingMessage): Promise<string> => {
    const asked = JSON.parse(await textOf(request)) as RpcRequest | RpcRequest[];
    const answers: object[] = [];
    for (const each of [asked].flat()) {
      const { result, error } = await answer(each);
      answers.push({ jsonrpc: '2.0', id: each.id, ...(error ? { error } : { result: result ?? null }) });
    }
    return JSON.stringify(Array.isArray(asked) ? answers : answers[0]);
  };
  const server = createServer((request, response) => {
    answersTo(request).then(
      (json) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(json),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
