import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The state of the connections to the server: they work; they are silent in both directions; they are closed at once,
 * or after the first packet; or the server refuses each with this SQLSTATE.
 */
export type Network = 'works' | 'silent' | 'closed' | 'cut' | { readonly refuses: string };

/** A network between the service and a real PostgreSQL that can fail. */
export class DatabaseProxy {
  private network: Network = 'works';
  private readonly sockets = new Set<Socket>();

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
    const pass = (to: Socket) => (data: Buffer) => {
      if (this.network !== 'silent') to.write(data);
    };
    client.on('data', pass(server)).on('close', () => server.destroy());
    server.on('data', pass(client)).on('close', () => client.destroy());
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}

/** An ErrorResponse of the protocol, as a server sends it when it refuses a connection. */
function refusal(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mnot now\0\0`);
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
