import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine without a listener, the preferred one if it is free. It may be taken before it is used. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (preferred === 0) throw error;
    return freePort();
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
