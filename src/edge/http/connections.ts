import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../services/limits/client-network.js';

export interface ConnectionLimits {
  readonly total: number;
  readonly perNetwork: number;
  /** Connections beyond the limits, which may only call health endpoints. */
  readonly reserve: number;
}

interface Connection {
  readonly network: string;
  request?: IncomingMessage;
  response?: ServerResponse;
}

type Connections = Map<Socket, Connection>;

const HEALTH = /^\/(livez|readyz)(\?|$)/;

/** A new connection replaces the longest idle one. If none is idle it may only ask about health: a full replica must not look dead. */
export class OpenConnections {
  private readonly all: Connections = new Map();
  private readonly byNetwork = new Map<string, Connections>();
  private readonly reserved = new Set<Socket>();
  private isEnding = false;

  constructor(
    server: Server,
    private readonly limits: ConnectionLimits,
  ) {
    server.on('connection', (socket: Socket) => this.admit(socket));
  }

  /** `beyond` the bound only health is served. */
  get counts(): { readonly open: number; readonly beyond: number } {
    return { open: this.all.size, beyond: this.reserved.size };
  }

  /** Call it when a request has arrived. False if the connection may not make this request. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (this.isEnding) response.setHeader('Connection', 'close');
    if (this.reserved.has(socket)) return HEALTH.test(request.url ?? '');
    const connection = this.all.get(socket);
    if (!connection) return true;
    connection.request = request;
    connection.response = response;
    for (const connections of [this.all, this.byNetwork.get(connection.network)!]) {
      connections.delete(socket);
      connections.set(socket, connection);
    }
    return true;
  }

  /** Closes the others after their response. */
  end(): void {
    this.isEnding = true;
    for (const socket of this.reserved) socket.destroySoon();
    for (const [socket, { response }] of this.all) {
      if (!response || response.writableEnded) socket.destroySoon();
      else if (!response.headersSent) response.setHeader('Connection', 'close');
      else response.once('finish', () => socket.destroySoon());
    }
  }

  private admit(socket: Socket): void {
    const network = networkOf(socket.remoteAddress) ?? 'unknown';
    const neighbours = this.byNetwork.get(network) ?? (new Map() as Connections);
    const hasRoom =
      (neighbours.size < this.limits.perNetwork || this.closeLongestIdle(neighbours)) &&
      (this.all.size < this.limits.total || this.closeLongestIdle(this.all));
    if (!hasRoom) {
      this.admitForHealth(socket);
      return;
    }
    // Set again: closing the only connection of a network forgets the network.
    this.byNetwork.set(network, neighbours);
    neighbours.set(socket, { network });
    this.all.set(socket, neighbours.get(socket)!);
    socket.once('close', () => this.forget(socket));
  }

  private admitForHealth(socket: Socket): void {
    const [oldest] = this.reserved;
    if (this.reserved.size >= this.limits.reserve) {
      this.reserved.delete(oldest!);
      oldest!.destroy();
    }
    this.reserved.add(socket);
    socket.once('close', () => this.reserved.delete(socket));
  }

  /** An idle connection waits for its client: to send a request or the rest of one, or to read the response. */
  private closeLongestIdle(connections: Connections): boolean {
    for (const [socket, { request, response }] of connections) {
      if (response && !response.writableEnded && request!.complete) continue;
      this.forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  private forget(socket: Socket): void {
    const connection = this.all.get(socket);
    if (!connection) return;
    this.all.delete(socket);
    const neighbours = this.byNetwork.get(connection.network)!;
    neighbours.delete(socket);
    if (neighbours.size === 0) this.byNetwork.delete(connection.network);
  }
}
