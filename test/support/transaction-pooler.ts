import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { errorResponse, int32, type Message, message, MessageReader, strings } from './wire.js';

/** What PgBouncer takes; it refuses every other startup parameter. */
const STARTUP_PARAMETERS = new Set([
  'user',
  'database',
  'client_encoding',
  'application_name',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
]);

/** Statements whose effect is a state of the session, which the next transaction of the client may not find. */
const SESSION_STATE =
  /^\s*(?:listen|unlisten|discard|prepare|deallocate|reset|load)\b|^\s*set\s+(?!local\b|transaction\b|constraints\b)|\bpg_(?:try_)?advisory_(?:unlock|lock)|\bcreate\s+(?:local\s+|global\s+)?temp|\bwith\s+hold\b/i;

/** The state that a transaction has left on a server connection. */
const LEFT_BEHIND = `
  select 'setting ' || name as state from pg_settings where source = 'session'
   union all select 'channel ' || pg_listening_channels()
   union all select 'advisory lock' from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'
   union all select 'temporary table' from pg_class where relpersistence = 't' and pg_table_is_visible(oid)`;
const MAY_LEAVE_STATE = /set_config|advisory|temp|listen/i;

/**
 * PgBouncer in transaction mode, for tests: each transaction gets a random one of a few server connections, named
 * statements are prepared on each server connection that needs them, and what such a pooler cannot keep is refused.
 */
export class TransactionPooler {
  /** Startup parameters and session state that clients have tried to use. */
  readonly refused: string[] = [];
  /** What logins are answered with: as PgBouncer does, not the id of a server process. */
  processId = (): number => -1 - Math.floor(Math.random() * 1e9);
  private readonly idle: ServerConnection[] = [];
  private readonly waiting: ((server: ServerConnection) => void)[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly opened = new Set<Promise<ServerConnection>>();
  private readonly outdated = new WeakSet<ServerConnection>();
  private isStopping = false;

  private constructor(
    readonly target: string,
    private readonly serverConnections: number,
    private readonly server: Server,
  ) {}

  /** The number of server connections is PgBouncer's default if none is given. */
  static async start(databaseUrl: string, { serverConnections = 20, port = 0 } = {}): Promise<TransactionPooler> {
    const server = createServer();
    const pooler = new TransactionPooler(databaseUrl, serverConnections, server);
    server.on('connection', (socket) => pooler.take(socket)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return pooler;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    for (const opened of this.opened) (await opened.catch(() => undefined))?.close();
    await once(this.server, 'close');
  }

  /** Closes every server connection, those in a transaction after it. */
  async reconnect(): Promise<void> {
    for (const opened of this.opened) this.outdated.add(await opened);
    for (const server of this.idle.splice(0)) this.replace(server);
  }

  /** A random idle server connection, a new one, or the next one that becomes idle. */
  async acquire(): Promise<ServerConnection> {
    const count = this.opened.size;
    const index = Math.floor(
      Math.random() * (count < this.serverConnections ? this.idle.length + 1 : this.idle.length),
    );
    const [taken] = this.idle.splice(index, 1);
    if (taken) return taken;
    if (count < this.serverConnections) return this.open();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Takes a server connection back between two transactions. */
  async release(server: ServerConnection, texts: readonly string[]): Promise<void> {
    if (texts.some((text) => MAY_LEAVE_STATE.test(text))) {
      const left = await server.query(LEFT_BEHIND);
      for (const state of left) this.refused.push(`${state} left by: ${texts.join('; ')}`);
      if (left.length > 0) return this.replace(server);
    }
    if (this.outdated.has(server)) return this.replace(server);
    const next = this.waiting.shift();
    if (next) next(server);
    else this.idle.push(server);
  }

  /** Closes a server connection that is of no use to another transaction. */
  replace(server: ServerConnection): void {
    server.close();
    this.opened.delete(server.itself!);
    const next = this.waiting.shift();
    if (next && !this.isStopping) void this.open().then(next, () => undefined);
  }

  private async open(): Promise<ServerConnection> {
    const opening = ServerConnection.open(this.target);
    this.opened.add(opening);
    try {
      const server = await opening;
      server.itself = opening;
      return server;
    } catch (error) {
      this.opened.delete(opening);
      throw error;
    }
  }

  private take(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    let head = Buffer.alloc(0);
    const start = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      if (head.length < 8 || head.length < head.readInt32BE(0)) return;
      const [length, code] = [head.readInt32BE(0), head.readInt32BE(4)];
      const rest = head.subarray(length);
      if (code === SSL_REQUEST) {
        head = rest;
        return void socket.write('N');
      }
      socket.off('data', start);
      if (code === CANCEL_REQUEST) return void socket.end();
      this.logIn(socket, strings(head.subarray(0, length), 8, Infinity).texts);
      if (rest.length > 0) socket.emit('data', rest);
    };
    socket.on('data', start);
  }

  private logIn(socket: Socket, texts: readonly string[]): void {
    const names = texts.filter((text, index) => index % 2 === 0 && text !== '');
    const unknown = names.find((name) => !STARTUP_PARAMETERS.has(name.toLowerCase()));
    if (unknown !== undefined) {
      this.refused.push(`startup parameter ${unknown}`);
      return void socket.end(errorResponse('FATAL', '08P01', `unsupported startup parameter: ${unknown}`));
    }
    const client = new ClientConnection(socket, this);
    socket.on('data', (chunk: Buffer) => client.receive(chunk)).on('close', () => client.close());
    const parameters = { server_version: '15.0', client_encoding: 'UTF8', standard_conforming_strings: 'on' };
    socket.write(
      Buffer.concat([
        message('R', int32(0)),
        ...Object.entries(parameters).map(([name, value]) => message('S', name, value)),
        message('K', int32(this.processId(), 0)),
        READY,
      ]),
    );
  }
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const READY = message('Z', Buffer.from('I'));

/** A client, whose messages go on in groups that end with Sync: one group at a time, each transaction to one server connection. */
class ClientConnection {
  private readonly reader = new MessageReader();
  private readonly groups: Message[][] = [];
  private group: Message[] = [];
  /** What the client has prepared, by its names. */
  private readonly prepared = new Map<string, Buffer>();
  private server: ServerConnection | undefined;
  private isBusy = false;
  private isClosed = false;
  /** The statements of the current transaction. */
  private texts: string[] = [];
  private readonly textOf = new Map<string, string>();

  constructor(
    private readonly socket: Socket,
    private readonly pooler: TransactionPooler,
  ) {}

  receive(chunk: Buffer): void {
    for (const each of this.reader.push(chunk)) {
      if (each.type === 'X') return void this.socket.end();
      this.group.push(each);
      if (each.type !== 'S' && each.type !== 'Q') continue;
      this.groups.push(this.group);
      this.group = [];
    }
    void this.forward();
  }

  private async forward(): Promise<void> {
    if (this.isBusy || this.groups.length === 0) return;
    this.isBusy = true;
    const group = this.groups.shift()!;
    const refusal = this.noteTexts(group);
    if (refusal !== null) return this.refuse(refusal);
    try {
      this.server ??= await this.pooler.acquire();
    } catch {
      return void this.socket.destroy();
    }
    if (this.isClosed) return this.close();
    this.server.send(group, this.prepared, {
      pass: (bytes) => void this.socket.write(bytes),
      ready: (status) => this.ready(status),
      lost: () => void this.socket.destroy(),
    });
  }

  /** Notes what the group prepares and carries out; returns a statement that needs a session. */
  private noteTexts(group: readonly Message[]): string | null {
    for (const { type, bytes } of group) {
      if (type === 'P') {
        const { texts, end } = strings(bytes, 5, 1);
        const name = texts[0]!;
        const definition = Buffer.from(bytes.subarray(end));
        const text = strings(definition, 0, 1).texts[0]!;
        if (SESSION_STATE.test(text)) return text;
        // As PgBouncer does, even when the server refused to prepare it.
        if (name !== '' && this.prepared.has(name)) return `prepared again under its name: ${text}`;
        this.textOf.set(name, text);
        this.prepared.set(name, definition);
      }
      if (type === 'B') this.texts.push(this.textOf.get(strings(bytes, 5, 2).texts[1]!) ?? '');
      if (type === 'Q') {
        const [text] = strings(bytes, 5, 1).texts as [string];
        if (SESSION_STATE.test(text)) return text;
        this.texts.push(text);
      }
    }
    return null;
  }

  private refuse(text: string): void {
    this.pooler.refused.push(text);
    this.socket.end(errorResponse('FATAL', '0A000', `the pooler keeps no session state: ${text}`));
  }

  private ready(status: string): void {
    const { server, texts } = this;
    if (status === 'I') {
      this.server = undefined;
      this.texts = [];
      void this.pooler.release(server!, texts).catch(() => this.pooler.replace(server!));
    }
    this.isBusy = false;
    void this.forward();
  }

  /** Like PgBouncer it ends a server connection in the middle of a transaction. */
  close(): void {
    this.isClosed = true;
    if (this.server) this.pooler.replace(this.server);
    this.server = undefined;
  }
}

interface Receiver {
  pass(bytes: Buffer): void;
  ready(status: string): void;
  lost(): void;
}

/** A connection to PostgreSQL, with the statements that are prepared on it. */
class ServerConnection {
  itself: Promise<ServerConnection> | undefined;
  private readonly reader = new MessageReader();
  private readonly prepared = new Set<string>();
  /** The Parse messages that are not answered, in order: what they prepare, and whether the client waits for the answer. */
  private parses: { readonly name: string; readonly isOfClient: boolean }[] = [];
  private receiver: Receiver | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk)).on('close', () => this.receiver?.lost());
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<ServerConnection> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    // pg has logged in; from here on the bytes are read here.
    stream.removeAllListeners();
    return new ServerConnection(stream);
  }

  close(): void {
    this.receiver = undefined;
    this.socket.destroy();
  }

  send(group: readonly Message[], prepared: ReadonlyMap<string, Buffer>, receiver: Receiver): void {
    this.receiver = receiver;
    this.socket.write(Buffer.concat(group.flatMap((each) => this.translated(each, prepared))));
  }

  /** Carries out a statement without parameters; its rows have one column of text. */
  query(text: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const rows: string[] = [];
      const reader = new MessageReader();
      const pass = (bytes: Buffer): void => {
        for (const each of reader.push(bytes)) if (each.type === 'D') rows.push(each.bytes.toString('utf8', 11));
      };
      this.receiver = { pass, ready: () => resolve(rows), lost: () => reject(new Error('The connection was lost.')) };
      this.socket.write(message('Q', text));
    });
  }

  /** The message with the names that statements have on this connection, after the Parse that it needs. */
  private translated({ type, bytes }: Message, prepared: ReadonlyMap<string, Buffer>): Buffer[] {
    if (type === 'P') {
      const { texts, end } = strings(bytes, 5, 1);
      const rest = bytes.subarray(end);
      const name = texts[0] === '' ? '' : nameOf(rest);
      // Known already: the text is only checked, under no name.
      return [this.parse(this.isKnown(name) ? '' : name, rest, true)];
    }
    if (type === 'B') {
      const { texts, end } = strings(bytes, 5, 2);
      const [portal, statement] = texts as [string, string];
      const [parse, name] = this.ensure(statement, prepared);
      return [...parse, message('B', portal, name, bytes.subarray(end))];
    }
    if ((type === 'D' || type === 'C') && bytes[5] === 'S'.charCodeAt(0)) {
      const [parse, name] = this.ensure(strings(bytes, 6, 1).texts[0]!, prepared);
      // Another client may use it.
      return type === 'C' ? [message('C', Buffer.from('S'), '')] : [...parse, message('D', Buffer.from('S'), name)];
    }
    return [bytes];
  }

  private ensure(statement: string, prepared: ReadonlyMap<string, Buffer>): [Buffer[], string] {
    const definition = prepared.get(statement);
    if (statement === '' || !definition) return [[], statement];
    const name = nameOf(definition);
    return [this.isKnown(name) ? [] : [this.parse(name, definition, false)], name];
  }

  private isKnown(name: string): boolean {
    return name !== '' && (this.prepared.has(name) || this.parses.some((parse) => parse.name === name));
  }

  private parse(name: string, definition: Buffer, isOfClient: boolean): Buffer {
    this.parses.push({ name, isOfClient });
    return message('P', name, definition);
  }

  private receive(chunk: Buffer): void {
    const passed: Buffer[] = [];
    let status: string | undefined;
    for (const { type, bytes } of this.reader.push(chunk)) {
      const parse = type === '1' ? this.parses.shift() : undefined;
      if (parse && parse.name !== '') this.prepared.add(parse.name);
      if (parse && !parse.isOfClient) continue;
      passed.push(bytes);
      if (type === 'Z') {
        // What follows an error is skipped.
        this.parses = [];
        status = bytes.toString('latin1', 5, 6);
      }
    }
    const { receiver } = this;
    receiver?.pass(Buffer.concat(passed));
    if (status !== undefined) receiver?.ready(status);
  }
}

const serverNames = new Map<string, string>();

/** The name on servers of a statement with this text and these types. */
function nameOf(definition: Buffer): string {
  const key = definition.toString('latin1');
  let name = serverNames.get(key);
  if (name === undefined) serverNames.set(key, (name = `pooled_${serverNames.size}`));
  return name;
}
