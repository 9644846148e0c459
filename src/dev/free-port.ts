import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Operating systems give higher ports to connections, one of which might take the port first. */
const LOWEST = 11_000;
const HIGHEST = 32_000;

/** The port may be taken before it is used. */
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
