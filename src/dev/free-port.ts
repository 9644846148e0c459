import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The bounds lie below the ports that operating systems give to connections, one of which might get the port before it is used. */
const LOWEST = 11_000;
const HIGHEST = 32_000;

/** A port of this machine without a listener, the preferred one if it is free. It may be taken before it is used. */
export async function freePort(preferred = randomInt(LOWEST, HIGHEST)): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return preferred;
}
