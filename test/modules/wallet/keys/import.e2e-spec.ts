import { createKeyPairSignerFromBytes, createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { decodeBase58, encodeBase58, toBeHex, verifyMessage, Wallet as EthersWallet } from 'ethers';
import { randomBytes } from 'node:crypto';
import { PostgresRetention } from '../../../../src/postgres/retention.js';
import { KeyTransport } from '../../../../src/modules/wallet/keys/domain/wallet-keys.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { patiently } from '../../../support/eventually.js';
import { type GivenApp, unique } from '../../../support/given.js';
import { ProveAddress } from '../../../../src/modules/identity/index.js';
import type { AppId } from '../../../../src/kernel/ids.js';
import { Observer, openConnections } from '../../../support/observer.js';
import { keyPair, open, seal } from '../../../support/hpke-peer.js';

type Fields = Readonly<Record<string, unknown>>;

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let app: GivenApp;
let other: GivenApp;
let userId: string;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '30' } });
  replica = await startApp({ databaseUrl: service.databaseUrl, env: { DATABASE_POOL_SIZE: '30', ROLE: 'api' } });
  for (const each of [service, replica]) await openConnections(each, 25);
  observer = await Observer.of(service);
  app = await service.given.app();
  other = await service.given.app();
  userId = (await service.given.user(app)).user_id;
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});

const post = (path: string, body: Fields, { at = service, of = app }: { at?: TestApp; of?: GivenApp } = {}) =>
  patiently(() => at.call('POST', `/v1/wallets/${path}`, { key: of.secretKey, body }));
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error_type];

const begun = (wallet_type = 'ethereum', user_id = userId) => begunIn(app, user_id, wallet_type);
async function begunIn(of: GivenApp, user_id: string, wallet_type = 'ethereum') {
  const { status, body } = await post('import/begin', { user_id, wallet_type }, { of });
  expect(status).toBe(200);
  return body as { id: string; encryption_type: string; encryption_public_key: string; expires_at: number };
}
/** What a client sends who encrypts the bytes to the key of the import. */
function sealedTo({ id, encryption_public_key }: { id: string; encryption_public_key: string }, plaintext: Buffer) {
  const { enc, ct } = seal(Buffer.from(encryption_public_key, 'base64'), plaintext);
  return { id, encapsulated_key: enc.toString('base64'), ciphertext: ct.toString('base64') };
}
async function imported(wallet_type: string, text: string | Buffer) {
  const { status, body } = await post('import', sealedTo(await begun(wallet_type), Buffer.from(text as string)));
  expect(status).toBe(200);
  return body;
}
async function exported(walletId: string, of = app): Promise<string> {
  const receiver = keyPair();
  const { status, body } = await post(
    `${walletId}/export`,
    {
      encryption_public_key: receiver.getPublicKey('base64'),
    },
    { of },
  );
  expect(status).toBe(200);
  expect(body.encryption_type).toBe('HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM');
  const sealed = { enc: Buffer.from(body.encapsulated_key, 'base64'), ct: Buffer.from(body.ciphertext, 'base64') };
  return open(receiver, sealed).toString();
}

describe('importing a wallet', () => {
  it('takes in an ethereum key; the wallet signs like one made here', async () => {
    const key = EthersWallet.createRandom();
    const wallet = await imported('ETH', key.privateKey);
    expect(wallet).toMatchObject({
      id: expect.stringMatching(/^wallet_/),
      user_id: userId,
      public_address: key.address,
      wallet_type: 'ethereum',
      verified: true,
      is_default: false,
      is_read_only: false,
      is_imported: true,
    });
    const { body } = await post(`${wallet.id}/sign_message`, { message: 'hello' });
    expect(verifyMessage('hello', body.signature)).toBe(key.address);
    expect(body.signature).toBe(await key.signMessage('hello'));
    expect(await observer.events(app.id, userId)).toContain('wallet.created');
  });

  it('takes in a solana key pair, or its seed', async () => {
    const seed = randomBytes(32);
    const { address } = await createKeyPairSignerFromPrivateKeyBytes(seed);
    const pair = Buffer.concat([seed, Buffer.from(toBeHex(decodeBase58(address), 32).slice(2), 'hex')]);
    const wallet = await imported('solana', encodeBase58(pair));
    expect(wallet).toMatchObject({ public_address: address, wallet_type: 'solana', is_read_only: false });
    const second = randomBytes(32);
    expect((await imported('SOL', second)).public_address).toBe(
      (await createKeyPairSignerFromPrivateKeyBytes(second)).address,
    );
  });

  it('answers a key for each import, good for ten minutes', async () => {
    const [first, second] = [await begun(), await begun()];
    expect(first).toMatchObject({
      id: expect.stringMatching(/^walletimp_/),
      encryption_type: 'HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM',
    });
    expect(Buffer.from(first.encryption_public_key, 'base64')).toHaveLength(65);
    expect(first.expires_at - Date.now() / 1000).toBeGreaterThan(590);
    expect(second.encryption_public_key).not.toBe(first.encryption_public_key);
    await observer.rows(`update wallet_imports set expires_at = now() where id = $1`, [first.id]);
    const late = sealedTo(first, Buffer.from(EthersWallet.createRandom().privateKey));
    expect(refusal(await post('import', late))).toEqual([400, 'invalid_wallet_import']);
    await service.nest.get(PostgresRetention, { strict: false }).removeAll();
    const left = await observer.rows(`select id from wallet_imports where id = any($1)`, [[first.id, second.id]]);
    expect(left).toEqual([{ id: second.id }]);
  });

  it('uses an import once, however many do at once on two replicas, and forgets its key', async () => {
    const place = await begun();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post('import', sealedTo(place, Buffer.from(EthersWallet.createRandom().privateKey)), {
          at: i % 2 === 0 ? service : replica,
        }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 200).map(refusal);
    expect(refused).toEqual(Array(49).fill([400, 'invalid_wallet_import']));
    expect(await observer.rows(`select id from wallet_imports where id = $1`, [place.id])).toEqual([]);
  });

  it('refuses a key the app signs with already, though many bring it at once', async () => {
    const key = Buffer.from(EthersWallet.createRandom().privateKey);
    const places = await Promise.all(Array.from({ length: 20 }, () => begun()));
    const answers = await Promise.all(places.map((place) => post('import', sealedTo(place, key))));
    const refused = answers.filter(({ status }) => status !== 200).map(refusal);
    expect(refused).toEqual(Array(19).fill([409, 'duplicate_wallet']));
    const wallets = await service.call('GET', `/v1/wallets/list?user_id=${userId}`, { key: app.secretKey });
    const made = await exported(wallets.body.wallets.find((wallet: { is_default: boolean }) => wallet.is_default).id);
    const again = await post('import', sealedTo(await begun(), Buffer.from(made)));
    expect(refusal(again)).toEqual([409, 'duplicate_wallet']);
  });

  it('refuses a key that another app manages, whether made there or imported, and does not disclose that app', async () => {
    const { user_id } = await service.given.user(other);
    const elsewhere = await begunIn(other, user_id);
    const key = Buffer.from(EthersWallet.createRandom().privateKey);
    expect((await post('import', sealedTo(elsewhere, key), { of: other })).status).toBe(200);
    const { body } = await service.call('GET', `/v1/wallets/list?user_id=${user_id}`, { key: other.secretKey });
    const made = body.wallets.find((wallet: { is_default: boolean }) => wallet.is_default).id as string;
    const theirs = Buffer.from(await exported(made, other));
    for (const known of [key, theirs]) {
      const place = await begun();
      const answer = await post('import', sealedTo(place, known));
      expect(refusal(answer)).toEqual([409, 'key_in_use']);
      expect(answer.text).not.toMatch(new RegExp([other.id, user_id, made].join('|')));
      // The refusal has spent nothing.
      expect((await post('import', sealedTo(place, randomBytes(32)))).status).toBe(200);
    }
    // A deleted wallet pays nothing any more.
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: other.secretKey });
    expect((await post('import', sealedTo(await begun(), key))).status).toBe(200);
  });

  it.each(['ethereum', 'solana'])('lets one of ten apps have a %s key that all import at once', async (wallet_type) => {
    const key = randomBytes(32);
    const apps = await Promise.all(Array.from({ length: 10 }, () => service.given.app()));
    const places = await Promise.all(
      apps.map(async (of) => begunIn(of, (await service.given.user(of)).user_id, wallet_type)),
    );
    const answers = await Promise.all(
      places.map((place, i) => post('import', sealedTo(place, key), { of: apps[i], at: [service, replica][i % 2] })),
    );
    const refused = answers.filter(({ status }) => status !== 200).map(refusal);
    expect(refused).toEqual(Array(9).fill([409, 'key_in_use']));
  });

  it.each<[string, string, () => Buffer]>([
    ['zero', 'ethereum', () => Buffer.alloc(32)],
    ['the order of the curve', 'ethereum', () => Buffer.from('ff'.repeat(32))],
    ['text', 'ethereum', () => Buffer.from('not a private key')],
    ['nothing', 'ethereum', () => Buffer.alloc(0)],
    ['halves that do not fit', 'solana', () => Buffer.from(encodeBase58(randomBytes(64)))],
    ['a solana key for ethereum', 'ethereum', () => randomBytes(64)],
  ])('refuses %s, and the import stays open', async (_, wallet_type, plaintext) => {
    const place = await begun(wallet_type);
    expect(refusal(await post('import', sealedTo(place, plaintext())))).toEqual([400, 'invalid_private_key']);
    expect((await post('import', sealedTo(place, randomBytes(32)))).status).toBe(200);
  });

  it('refuses a key that was encrypted to another key, altered, not encrypted, or for another app', async () => {
    const [place, elsewhere] = [await begun(), await begun()];
    const key = Buffer.from(EthersWallet.createRandom().privateKey);
    const right = sealedTo(place, key);
    const altered = Buffer.from(right.ciphertext, 'base64');
    altered[3]! ^= 1;
    const tries: [Fields, GivenApp?][] = [
      [{ ...sealedTo(elsewhere, key), id: place.id }],
      [{ ...right, ciphertext: altered.toString('base64') }],
      [{ ...right, ciphertext: key.toString('base64') }],
      [{ ...right, encapsulated_key: Buffer.alloc(65, 4).toString('base64') }],
      [{ ...right, encapsulated_key: 'AAAA' }],
      [{ ...right, id: 'walletimp_00000000000000000000000000' }],
      [right, other],
    ];
    for (const [body, of] of tries)
      expect(refusal(await post('import', body, { of }))).toEqual([400, 'invalid_wallet_import']);
    for (const field of [{ ciphertext: 'a b' }, { encapsulated_key: '' }, { id: 'wallet_x' }])
      expect(refusal(await post('import', { ...right, ...field }))).toEqual([400, 'invalid_request']);
    expect((await post('import', right)).status).toBe(200);
  });

  it('is void for an account that passed to another person or was deleted', async () => {
    const email = `${unique()}@example.com`;
    const { user_id } = await service.given.user(app, { email });
    const place = await begun('ethereum', user_id);
    await service.nest.get(ProveAddress).email(app.id as AppId, email);
    expect(refusal(await post('import', sealedTo(place, randomBytes(32))))).toEqual([400, 'invalid_wallet_import']);

    const doomed = await service.given.user(app);
    const late = await begun('ethereum', doomed.user_id);
    await service.call('DELETE', `/v1/auth/users/${doomed.user_id}/delete`, { key: app.secretKey });
    expect(refusal(await post('import', sealedTo(late, randomBytes(32))))).toEqual([400, 'invalid_wallet_import']);
  });

  it('refuses an unknown user and a user of another app alike', async () => {
    const theirs = await service.given.user(other);
    for (const user_id of [theirs.user_id, 'user_00000000000000000000000000']) {
      const answer = await post('import/begin', { user_id, wallet_type: 'ethereum' });
      expect(refusal(answer)).toEqual([404, 'user_not_found']);
    }
  });
});

describe('exporting a wallet', () => {
  it('answers the key as wallets take it, whether imported or made here', async () => {
    const key = EthersWallet.createRandom();
    expect(await exported((await imported('ethereum', key.privateKey)).id)).toBe(key.privateKey);

    const { user_id } = await service.given.user(app);
    for (const wallet_type of ['ethereum', 'solana']) {
      const { body: wallet } = await post('create', { user_id, wallet_type });
      const text = await exported(wallet.id);
      const address =
        wallet_type === 'ethereum'
          ? new EthersWallet(text).address
          : (await createKeyPairSignerFromBytes(Buffer.from(toBeHex(decodeBase58(text), 64).slice(2), 'hex'))).address;
      expect(address).toBe(wallet.public_address);
    }
  });

  it('is on record before the key leaves: an event, and an entry of the audit log by the key that was used', async () => {
    const { user_id } = await service.given.user(app);
    const { body: wallet } = await post('create', { user_id, wallet_type: 'ethereum' });
    await exported(wallet.id);
    expect(await observer.events(app.id, user_id)).toContain('wallet.exported');
    const entries = await observer.rows<{ actor: string; request_id: string }>(
      `select actor, request_id from audit_log where app_id = $1 and action = 'wallet.exported' and target_id = $2`,
      [app.id, wallet.id],
    );
    expect(entries).toEqual([{ actor: expect.stringMatching(/^key_/), request_id: expect.any(String) }]);
  });

  it('refuses a key that is none, and then opens and records nothing', async () => {
    const wallet = await imported('ethereum', randomBytes(32));
    const offCurve = keyPair().getPublicKey();
    offCurve[64]! ^= 1;
    for (const key of [offCurve, Buffer.alloc(65), Buffer.from('x')]) {
      const answer = await post(`${wallet.id}/export`, { encryption_public_key: key.toString('base64') });
      expect(refusal(answer)).toEqual([400, 'invalid_encryption_key']);
    }
    const recorded = await observer.rows(
      `select id from stored_events where app_id = $1 and type = 'wallet.exported' and data->>'wallet_id' = $2`,
      [app.id, wallet.id],
    );
    expect(recorded).toEqual([]);
  });

  it("refuses another app's wallet, an unknown one, and one without a key in the service", async () => {
    const encryption_public_key = keyPair().getPublicKey('base64');
    const wallet = await imported('ethereum', randomBytes(32));
    expect(refusal(await post(`${wallet.id}/export`, { encryption_public_key }, { of: other }))).toEqual([
      404,
      'wallet_not_found',
    ]);
    const key = EthersWallet.createRandom();
    const begin = { wallet_type: 'ethereum', public_address: key.address };
    const { challenge } = (
      await service.call('POST', '/v1/auth/wallets/registrations/begin', { key: app.secretKey, body: begin })
    ).body;
    const login = await service.call('POST', '/v1/auth/wallets/verify', {
      key: app.secretKey,
      body: { ...begin, signature: await key.signMessage(challenge) },
    });
    expect(refusal(await post(`${login.body.id}/export`, { encryption_public_key }))).toEqual([
      409,
      'wallet_read_only',
    ]);
    // The same key may be brought along later; the login wallet stays.
    expect((await imported('ethereum', key.privateKey)).public_address).toBe(key.address);
  });
});

describe('a private key as plaintext', () => {
  it('is wiped everywhere it was', async () => {
    const seen: Uint8Array[] = [];
    const transport = service.nest.get(KeyTransport);
    const { open: reallyOpen, seal: reallySeal, generate } = transport;
    const watch = async <T>(result: Promise<T>, pick: (value: T) => Uint8Array | null): Promise<T> => {
      const bytes = pick(await result);
      if (bytes) seen.push(bytes);
      return result;
    };
    transport.generate = () => watch(generate.call(transport), ({ privateKey }) => privateKey);
    transport.open = (key, message) => {
      seen.push(key);
      return watch(reallyOpen.call(transport, key, message), (opened) => opened);
    };
    transport.seal = (key, plaintext) => {
      seen.push(plaintext);
      return reallySeal.call(transport, key, plaintext);
    };
    try {
      const wallet = await imported('ethereum', EthersWallet.createRandom().privateKey);
      await exported(wallet.id);
      expect(refusal(await post('import', sealedTo(await begun(), Buffer.from('no key'))))).toEqual([
        400,
        'invalid_private_key',
      ]);
    } finally {
      Object.assign(transport, { generate, open: reallyOpen, seal: reallySeal });
    }
    expect(seen).toHaveLength(7);
    for (const bytes of seen) expect(Buffer.from(bytes).equals(Buffer.alloc(bytes.length))).toBe(true);
  });
});
