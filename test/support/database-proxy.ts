import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { MessageReader, strings } from './wire.js';

/**
 * The state of the connections to the server: they work; they are silent in both directions; they are closed at once,
 * or after the first packet; or the server refuses each with this SQLSTATE.
 */
export type Network = 'works' | 'silent' | 'closed' | 'cut' | { readonly refuses: string };

/** A network between the service and a real PostgreSQL that can fail. */
export class DatabaseProxy {
  private network: Network = 'works';
  private readonly sockets = new Set<Socket>();
  private losing: { readonly text: string; readonly lost: () => void } | undefined;

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {}

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    const proxy = new DatabaseProxy(new URL(databaseUrl), server);
    server.on('connection', (socket) => proxy.take(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Changes the state of future connections, and ends the open ones unless they become silent. */
  become(network: Network): void {
    this.network = network;
    if (network !== 'silent') this.closeAll();
  }

  /**
   * Lets PostgreSQL carry out the next transaction with a statement that contains `text`, and cuts its connection before the answer to
   * COMMIT, or to the statement when it is the whole transaction. Resolves then.
   */
  loseAnswer(text: string): Promise<void> {
    return new Promise((lost) => (this.losing = { text, lost }));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.closeAll();
    await once(this.server, 'close');
  }

  private closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private take(client: Socket): void {
    this.keep(client);
    const { network } = this;
    if (network === 'closed') return void client.destroy();
    if (network === 'cut') return void client.once('data', () => client.destroy());
    if (typeof network === 'object') return void client.once('data', () => client.end(refusal(network.refuses)));
    const server = connect(Number(this.target.port), this.target.hostname);
    this.keep(server);
    const dialogue = new Dialogue();
    client.on('data', (data: Buffer) => {
      if (this.network === 'silent') return;
      dialogue.ask(data);
      server.write(data);
    });
    server.on('data', (data: Buffer) => {
      if (this.network === 'silent') return;
      const answer = dialogue.answer(data, this.losing?.text);
      if (answer) return void client.write(answer);
      client.destroy();
      this.losing!.lost();
      this.losing = undefined;
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}

/** What client and server say on one connection. */
class Dialogue {
  private readonly questions = new MessageReader();
  private readonly answers = new MessageReader();
  private hasStarted = false;
  private readonly textOf = new Map<string, string>();
  /** The statements of the current transaction. */
  private texts: string[] = [];
  private held: Buffer[] = [];

  ask(chunk: Buffer): void {
    // The first message has no type, and the client waits for its answer.
    if (!this.hasStarted) return void (this.hasStarted = true);
    for (const { type, bytes } of this.questions.push(chunk)) {
      if (type === 'P') {
        const [name, text] = strings(bytes, 5, 2).texts as [string, string];
        this.textOf.set(name, text);
      }
      if (type === 'B') this.texts.push(this.textOf.get(strings(bytes, 5, 2).texts[1]!)!);
      if (type === 'Q') this.texts.push(strings(bytes, 5, 1).texts[0]!);
    }
  }

  /** What is passed on to the client; null when a transaction with this text in a statement has ended. */
  answer(chunk: Buffer, lost: string | undefined): Buffer | null {
    const passed: Buffer[] = [];
    for (const { type, bytes } of this.answers.push(chunk)) {
      this.held.push(bytes);
      const isLost = lost !== undefined && this.texts.some((text) => text.includes(lost));
      const isOver = type === 'Z' && bytes.toString('latin1', 5, 6) === 'I';
      if (isLost && isOver) return null;
      if (isOver) this.texts = [];
      if (isLost && type !== 'Z') continue;
      passed.push(...this.held);
      this.held = [];
    }
    return Buffer.concat(passed);
  }
}

/** An ErrorResponse of the protocol, as a server sends it when it refuses a connection. */
function refusal(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mnot now\0\0`);
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
