import { pbkdf2 } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { HostNames, type NameOptions } from '../../../src/services/outbound/host-names.js';
import { Outbound } from '../../../src/services/outbound/outbound.js';
import { parseHosts, parseSearchDomains } from '../../../src/services/outbound/system-names.js';
import { type NameServer, startNameServer } from '../../support/name-server.js';

let server: NameServer;
let names: HostNames;
beforeEach(async () => {
  server = await startNameServer({
    'good.test': ['127.0.0.1'],
    'two.test': ['192.0.2.1', '192.0.2.2'],
    'silent.test': 'silent',
  });
  names = new HostNames({ dnsServers: [server.address] });
});
afterEach(() => server.stop());

const lookUp = (name: string, options: NameOptions = { all: true }) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    names.lookup(name, options, (error, found) => (error ? reject(error) : resolve(found))),
  );
const addressesOf = async (name: string) => ((await lookUp(name)) as LookupAddress[]).map(({ address }) => address);

describe('resolving a host name', () => {
  it('returns all addresses, or the first of a family, like dns.lookup', async () => {
    expect(await lookUp('two.test')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
    ]);
    expect(await lookUp('two.test', {})).toBe('192.0.2.1');
    await expect(lookUp('two.test', { family: 6 })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('returns the IPv4 addresses when the first query for them is lost', async () => {
    // The second query is sent after a second, and is given another: a process that gets no processor for that long misses it. Without
    // that patience every look-up would lack the IPv4 address.
    for (let n = 1; ; n++) {
      const name = `both-${n}.test`;
      server.names.set(name, ['192.0.2.1', '2001:db8::1']);
      server.lost.add(name);
      const addresses = await addressesOf(name);
      if (n < 5 && !addresses.includes('192.0.2.1')) continue;
      expect(addresses).toEqual(['192.0.2.1', '2001:db8::1']);
      expect(server.lost.size).toBe(0);
      return;
    }
  });

  it('sends one query for concurrent look-ups of a name, and remembers the result', async () => {
    await Promise.all(Array.from({ length: 50 }, () => addressesOf('GOOD.test')));
    await addressesOf('good.test');
    // One question for each address family.
    expect(server.asked).toEqual(['good.test', 'good.test']);
  });

  it('fails in bounded time when the name server is silent, and remembers the failure', async () => {
    const silent = Array.from({ length: 50 }, () => lookUp('silent.test'));
    for (const each of await Promise.allSettled(silent))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEOUT' } });
    const asked = server.asked.length;
    // Two families, two tries.
    expect(asked).toBeLessThanOrEqual(4);
    await expect(lookUp('silent.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(server.asked).toHaveLength(asked);
  });

  it('resolves other names, and leaves the thread pool free, while fifty queries get no response', async () => {
    const silent = Array.from({ length: 50 }, (_, i) => `silent-${i}.test`);
    for (const name of silent) server.names.set(name, 'silent');
    const gaveUp = Promise.allSettled(silent.map((name) => lookUp(name))).then(() => 'gave up');
    // pbkdf2 waits for a thread of the pool that getaddrinfo would occupy.
    const meanwhile = Promise.all([addressesOf('good.test'), promisify(pbkdf2)('x', 'y', 1, 32, 'sha256')]);
    expect(await Promise.race([gaveUp, meanwhile.then(([addresses]) => addresses)])).toEqual(['127.0.0.1']);
    await gaveUp;
  });

  it('reports an unknown name as not found, and remembers the failure', async () => {
    await expect(lookUp('unknown.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const asked = server.asked.length;
    await expect(lookUp('unknown.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked).toHaveLength(asked);
  });

  it('does not remember a name that is to be forgotten, and knows one that is remembered', async () => {
    const forgotten = { all: true, isForgotten: true };
    for (let i = 0; i < 2; i++) expect(await lookUp('good.test', forgotten)).toHaveLength(1);
    await expect(lookUp('unknown.test', forgotten)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(lookUp('unknown.test', forgotten)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    // One question for each address family, each time.
    expect(server.asked.filter((name) => name === 'good.test')).toHaveLength(4);
    expect(server.asked.filter((name) => name === 'unknown.test')).toHaveLength(4);
    await addressesOf('good.test');
    expect(await lookUp('good.test', forgotten)).toHaveLength(1);
    expect(server.asked.filter((name) => name === 'good.test')).toHaveLength(6);
  });

  it('needs no name server for localhost', async () => {
    expect(await addressesOf('localhost')).toContain('127.0.0.1');
    expect(await addressesOf('app.localhost')).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  it('fails at once when no name server listens', async () => {
    names = new HostNames({ dnsServers: ['127.0.0.1:1'] });
    await expect(lookUp('good.test')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('the names of this machine', () => {
  it('come from the hosts file, IPv4 first', () => {
    const hosts = parseHosts(
      '# comment\n::1 localhost ip6-localhost\n127.0.0.1\tlocalhost # again\nnonsense x\n\n10.0.0.5 Db db.internal\n',
    );
    expect(hosts.get('localhost')).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect([...hosts.keys()]).toEqual(['localhost', 'ip6-localhost', 'db', 'db.internal']);
  });

  it('have the search domains of the last search or domain line', () => {
    expect(
      parseSearchDomains(
        'nameserver 10.0.0.1\ndomain old\nsearch ns.svc.cluster.local svc.cluster.local\noptions ndots:5',
      ),
    ).toEqual(['ns.svc.cluster.local', 'svc.cluster.local']);
    expect(parseSearchDomains('nameserver 10.0.0.1')).toEqual([]);
    expect(parseSearchDomains('search .')).toEqual([]);
  });
});

describe('a call to a host by its name', () => {
  it('connects to the address that the name server returned, also by an agent', async () => {
    const target = http.createServer((request, response) => response.end(request.headers.host));
    await new Promise<void>((ready) => target.listen(0, '127.0.0.1', ready));
    const { port } = target.address() as AddressInfo;
    const url = `http://good.test:${port}/`;
    const agent = names.agent(url);
    try {
      const { body } = await new Outbound({ allowPrivateNetworks: true }, names).send(url);
      expect(body).toBe(`good.test:${port}`);
      const status = await new Promise((resolve, reject) => {
        http.get(url, { agent }, (response) => resolve(response.resume().statusCode)).on('error', reject);
      });
      expect(status).toBe(200);
    } finally {
      agent.destroy();
      target.closeAllConnections();
      target.close();
    }
  });

  it('is refused each time that the name server returns a private address', async () => {
    const outbound = new Outbound({ allowPrivateNetworks: false }, names);
    for (let i = 0; i < 2; i++)
      await expect(outbound.send('https://good.test/')).rejects.toMatchObject({ code: 'url_not_allowed' });
  });
});
