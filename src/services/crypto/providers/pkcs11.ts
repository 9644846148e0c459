import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../../kernel/log.js';
import { SealBroken } from '../../../kernel/vault.js';
import type { Pkcs11Settings } from '../../config/pkcs11.js';
import { moduleEnvironment } from '../../config/module-environment.js';
import { ROOT } from '../../root.js';
import { secretBuffer } from '../aes-gcm.js';
import { type KeyPlace, type KeyProvider, ProviderFailed, type ProviderFault, type Wrapped } from '../key-provider.js';
import { LENGTH_BYTES, OPERATIONS, OUTCOMES, SOCKET, type TokenOperation } from './pkcs11-frames.js';
import { KEY_CHECK_BYTES } from './pkcs11-token.js';

const PROCESS = join(ROOT, 'dist/src/services/crypto/providers/pkcs11-process.js');
/** A process that has not responded for this long while a call expires is stopped: its module hangs. */
const HANGS_AFTER_MS = 1_000;
/** The first operation of a process loads the module and logs in, which some HSMs do slowly. */
const STARTS_WITHIN_MS = 15_000;
interface Call {
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** A separate process calls the module, as the README of the services explains. A hanging one is killed and replaced. */
export class Pkcs11 implements KeyProvider {
  readonly name = 'pkcs11';
  private running: ModuleProcess | undefined;
  /** Tokens lock themselves after a few wrong PINs, so a refused one is not sent again until the restart. */
  private pinRefusal: ProviderFailed | undefined;

  constructor(
    private readonly settings: Pkcs11Settings,
    private readonly log?: Pick<Log, 'error'>,
  ) {}

  async wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    return wrappedIn(await this.call('wrap', signal, key, place));
  }

  unwrap({ wrappedKey }: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    return this.call('unwrap', signal, wrappedKey, place);
  }

  async rewrap({ wrappedKey }: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    return wrappedIn(await this.call('rewrap', signal, wrappedKey, place));
  }

  async health(signal: AbortSignal): Promise<void> {
    await this.call('health', signal);
  }

  close(): void {
    this.running?.kill();
  }

  private async call(
    operation: TokenOperation,
    signal: AbortSignal,
    bytes: Uint8Array = Buffer.alloc(0),
    place?: KeyPlace,
  ): Promise<Buffer> {
    if (this.pinRefusal) throw this.pinRefusal;
    try {
      return await this.process().call(operation, signal, bytes, place);
    } catch (error) {
      if (!(error instanceof PinRefused)) throw error;
      if (!this.pinRefusal) this.log?.error({ alert: 'key_provider', reason: error.message }, PIN_REFUSED);
      this.pinRefusal = new ProviderFailed('denied', `${error.message} ${PIN_REFUSED}`);
      this.close();
      throw this.pinRefusal;
    }
  }

  private process(): ModuleProcess {
    if (!this.running?.isAlive) this.running = new ModuleProcess(this.settings);
    return this.running;
  }
}

const PIN_REFUSED =
  'The service does not log in again until it is restarted, because further attempts may lock the token.';

class PinRefused extends Error {}

class ModuleProcess {
  isAlive = true;
  private readonly child: ChildProcess;
  private readonly socket: Socket;
  private readonly waiting: Call[] = [];
  private readonly received: Buffer[] = [];
  /** When the process last responded, or got its first call after that. */
  private heardAt = performance.now();
  private hangsAfterMs = STARTS_WITHIN_MS;

  constructor(settings: Pkcs11Settings) {
    // Detached: Ctrl+C does not end it before the service. Its output is dropped, because a module may print secrets.
    this.child = spawn(process.execPath, [PROCESS], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
      env: moduleEnvironment(),
    });
    this.socket = this.child.stdio[SOCKET] as Socket;
    this.child.on('error', (error) => this.ended(error.message));
    this.child.on('exit', (code, cause) => this.ended(`It ended with ${cause ?? String(code)}.`));
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes: Buffer) => this.receive(bytes));
    this.child.unref();
    this.socket.unref();
    const refused = (error: Error): void => this.kill(error);
    this.waiting.push({ resolve: () => undefined, reject: refused });
    this.send('settings', Buffer.from(JSON.stringify(settings)));
  }

  call(operation: TokenOperation, signal: AbortSignal, bytes: Uint8Array, place?: KeyPlace): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) this.heardAt = performance.now();
      const expired = (): void => {
        reject(new ProviderFailed('timeout', 'The PKCS#11 module did not respond in time.'));
        // The result of a call that only waited too long in the queue is dropped when it arrives.
        if (performance.now() - this.heardAt >= this.hangsAfterMs) this.kill();
      };
      signal.addEventListener('abort', expired, { once: true });
      const settled = (): void => {
        this.hangsAfterMs = HANGS_AFTER_MS;
        signal.removeEventListener('abort', expired);
      };
      this.waiting.push({
        resolve: (answer) => {
          if (signal.aborted) answer.fill(0);
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.send(operation, bytes, place);
    });
  }

  kill(error?: Error): void {
    this.child.kill('SIGKILL');
    this.ended('It was stopped.', error);
  }

  private ended(reason: string, error?: Error): void {
    this.isAlive = false;
    this.socket.destroy();
    for (const bytes of this.received.splice(0)) bytes.fill(0);
    for (const { reject } of this.waiting.splice(0))
      reject(error ?? new ProviderFailed('failed', `The process of the PKCS#11 module does not run. ${reason}`));
  }

  private send(operation: TokenOperation, bytes: Uint8Array, place?: KeyPlace): void {
    const at = place ? Buffer.from(`app_id=${place.owner};generation=${place.generation}`) : Buffer.alloc(0);
    const frame = secretBuffer(LENGTH_BYTES + 3 + at.length + bytes.length);
    frame.writeUInt32BE(frame.length - LENGTH_BYTES);
    frame[LENGTH_BYTES] = OPERATIONS.indexOf(operation);
    frame.writeUInt16BE(at.length, LENGTH_BYTES + 1);
    frame.set(at, LENGTH_BYTES + 3);
    frame.set(bytes, LENGTH_BYTES + 3 + at.length);
    this.socket.write(frame, () => frame.fill(0));
  }

  private receive(bytes: Buffer): void {
    this.received.push(bytes);
    for (let frame: Buffer | undefined; (frame = this.nextFrame());) {
      this.heardAt = performance.now();
      const call = this.waiting.shift();
      const outcome = OUTCOMES[frame[0]!];
      const answer = secretBuffer(frame.length - 1);
      frame.copy(answer, 0, 1);
      frame.fill(0);
      if (outcome === 'done') call?.resolve(answer);
      else
        call?.reject(outcome === 'altered' ? new SealBroken('The token refuses the wrapped key.') : failureIn(answer));
    }
  }

  /** The response gets its own memory; the received bytes are overwritten. */
  private nextFrame(): Buffer | undefined {
    const total = this.received.reduce((sum, { length }) => sum + length, 0);
    const all = secretBuffer(total);
    let at = 0;
    for (const part of this.received.splice(0)) {
      part.copy(all, at);
      at += part.length;
      part.fill(0);
    }
    const end = total < LENGTH_BYTES ? Infinity : LENGTH_BYTES + all.readUInt32BE();
    if (total < end) {
      if (total > 0) this.received.push(all);
      return undefined;
    }
    if (total > end) this.received.push(all.subarray(end));
    return all.subarray(LENGTH_BYTES, end);
  }
}

/** The wrapped key itself names the key of the token, see `Pkcs11Token`. The reference in the row is for operators. */
function wrappedIn(wrappedKey: Buffer): Wrapped {
  return { wrappedKey, keyRef: wrappedKey.toString('hex', 0, KEY_CHECK_BYTES) };
}

function failureIn(answer: Buffer): Error {
  const [fault, ...message] = answer.toString().split(': ');
  if (fault === 'pin') return new PinRefused(message.join(': '));
  return new ProviderFailed(fault as ProviderFault, message.join(': '));
}
