import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine without a listener, the preferred one if it is free. It may be taken before it is used. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1');
  const isTaken = await once(server, 'listening').then(
    () => false,
    () => true,
  );
  if (isTaken) return freePort();
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
