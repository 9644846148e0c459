import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { NodeCalls } from '../../../../src/kernel/chain/node-calls.js';
import { newId } from '../../../../src/kernel/ids.js';
import { EthereumNodeUnavailable } from '../../../../src/modules/wallet/login/domain/registration.js';
import { ContractSignatures } from '../../../../src/modules/wallet/login/infrastructure/contract-signatures.js';
import { newAddress } from '../../../support/money.js';

let node: Server;
let listener: RequestListener;
let signatures: ContractSignatures;
let signaturesOfTwo: ContractSignatures;
beforeAll(async () => {
  node = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const at = (...rpc: string[]): ContractSignatures =>
    new ContractSignatures({ networks: [{ name: 'ethereum', kind: 'ethereum', rpc }] }, new NodeCalls(['ethereum']));
  [signatures, signaturesOfTwo] = [at(url), at(`${url}/first`, `${url}/second`)];
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
});

const judged = (by = signatures) =>
  by.isValid(newId('app'), 'ethereum', {
    address: newAddress('ethereum'),
    message: 'hello',
    signature: '0x',
  });
const valid = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x1626ba7e${'00'.repeat(28)}` });

describe('the signature of a contract', () => {
  it('is judged by a compressed response', async () => {
    listener = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(valid));
    expect(await judged()).toBe(true);
  });

  it.each([
    ['is too long', 'identity', (text: string) => Buffer.from(text)],
    ['is too long when it is decoded', 'gzip', (text: string) => gzipSync(text)],
  ])('is wrong where the response %s: the contract chose it', async (_, coding, encode) => {
    listener = (_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(encode(valid.padEnd(70_000)));
    expect(await judged()).toBe(false);
  });

  it('is judged by the next node where one reports a fault of its own', async () => {
    const fault = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'limit exceeded' } });
    listener = (request, response) => response.end(request.url === '/first' ? fault : valid);
    expect(await judged(signaturesOfTwo)).toBe(true);
    listener = (_, response) => response.end(fault);
    await expect(judged(signaturesOfTwo)).rejects.toThrow(EthereumNodeUnavailable);
  });

  it.each<[string, RequestListener]>([
    ['is damaged', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(valid)],
    ['has an unknown coding', (_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end(valid)],
    ['changes the protocol', (_, response) => response.writeHead(101, { upgrade: 'x', connection: 'upgrade' }).end()],
    ['is missing', (_, response) => void response.destroy()],
  ])('is not judged where the response %s: the node chose it', async (_, answer) => {
    listener = answer;
    await expect(judged()).rejects.toThrow(EthereumNodeUnavailable);
  });
});
