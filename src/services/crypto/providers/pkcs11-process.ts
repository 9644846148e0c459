import { readSync, writeSync } from 'node:fs';
import type { Pkcs11Settings } from '../../config/pkcs11.js';
import { LENGTH_BYTES, OPERATIONS, OUTCOMES, SOCKET, type TokenOutcome } from './pkcs11-frames.js';
import { Pkcs11Token, TokenFailed, TokenRefusedBytes } from './pkcs11-token.js';

// The process of an HSM's PKCS#11 module. It imports as little as possible, because the first call waits for its start.
const NOTHING = Buffer.alloc(0);
let token: Pkcs11Token | undefined;

for (;;) {
  const length = receive(LENGTH_BYTES).readUInt32BE();
  const request = receive(length);
  const [outcome, bytes] = answerTo(request);
  request.fill(0);
  const head = Buffer.alloc(LENGTH_BYTES + 1);
  head.writeUInt32BE(1 + bytes.length);
  head[LENGTH_BYTES] = OUTCOMES.indexOf(outcome);
  send(head);
  send(bytes);
  bytes.fill(0);
}

function answerTo(request: Buffer): [TokenOutcome, Buffer] {
  try {
    return ['done', perform(request)];
  } catch (error) {
    if (error instanceof TokenRefusedBytes) return ['altered', NOTHING];
    // Errors of the module are names such as CKR_DEVICE_REMOVED.
    const fault = error instanceof TokenFailed ? error.fault : 'failed';
    return ['failed', Buffer.from(`${fault}: ${(error as Error).message}`)];
  }
}

function perform(request: Buffer): Buffer {
  const operation = OPERATIONS[request[0]!]!;
  const placeEnd = 3 + request.readUInt16BE(1);
  const [place, bytes] = [request.subarray(3, placeEnd), request.subarray(placeEnd)];
  if (operation === 'settings') {
    token = new Pkcs11Token(JSON.parse(bytes.toString()) as Pkcs11Settings);
    return NOTHING;
  }
  if (!token) throw new TokenFailed('failed', 'The module does not load.');
  if (operation === 'wrap') return token.wrap(bytes, place);
  if (operation === 'unwrap') return token.unwrap(bytes, place);
  if (operation === 'rewrap') return token.rewrap(bytes, place);
  token.health();
  return NOTHING;
}

function receive(length: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let at = 0; at < length;) {
    const received = readSync(SOCKET, bytes, at, length - at, null);
    if (received === 0) process.exit();
    at += received;
  }
  return bytes;
}

function send(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(SOCKET, bytes, at);
}
