import { AwsV4Signer } from 'aws4fetch';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealBroken } from '../../../src/kernel/vault.js';
import { Config } from '../../../src/services/config/config.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { KeyRefused, ProviderFailed } from '../../../src/services/crypto/key-provider.js';
import { AwsKms } from '../../../src/services/crypto/providers/aws-kms.js';
import { type KmsServer, OTHER_KEY_ID, signatureOf, startKms, WEB_IDENTITY_TOKEN } from '../../support/kms-server.js';

/** The published test suite of AWS Signature Version 4: name, request, signature. */
const VECTORS = [
  ['get-vanilla', 'GET', '', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    'Param1=value1&Param2=value2',
    {},
    '',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['post-vanilla', 'POST', '', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'Param1=value1',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
] as const;
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const DATE = '20150830T123600Z';

describe('AWS Signature Version 4', () => {
  it.each(VECTORS)('signs %s as published', async (_name, method, query, headers, body, signature) => {
    const { headers: signed } = await new AwsV4Signer({
      method,
      url: `https://example.amazonaws.com/${query && `?${query}`}`,
      headers,
      ...(body && { body }),
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: SECRET_KEY,
      region: 'us-east-1',
      service: 'service',
      datetime: DATE,
      allHeaders: true,
    }).sign();
    expect(signed.get('authorization')).toContain(`Signature=${signature}`);
  });

  it.each(VECTORS)('is checked by the tests as published: %s', (_name, method, query, headers, body, signature) => {
    const all = { host: 'example.amazonaws.com', 'x-amz-date': DATE, ...headers };
    const request = { method, path: '/', query, headers: all, body };
    const scope = '20150830/us-east-1/service/aws4_request';
    const signedHeaders = Object.keys(all).toSorted();
    expect(signatureOf(request, { secretKey: SECRET_KEY, scope, signedHeaders })).toBe(signature);
  });
});

describe('AWS KMS', () => {
  let kms: KmsServer;
  let directory: string;
  beforeAll(async () => {
    kms = await startKms();
    directory = mkdtempSync(join(tmpdir(), 'kms-'));
    writeFileSync(join(directory, 'token'), WEB_IDENTITY_TOKEN);
  });
  afterAll(async () => {
    await kms.stop();
    rmSync(directory, { recursive: true });
  });
  const providers: AwsKms[] = [];
  afterEach(() => {
    kms.fault = null;
    kms.disabledKey = null;
    for (const opened of providers.splice(0)) opened.close();
  });
  const provider = (env: Record<string, string> = kms.env.fixed): AwsKms => {
    const opened = new AwsKms(Config.read({ NODE_ENV: 'test', ...env }).keyProviders!.awsKms!);
    providers.push(opened);
    return opened;
  };
  const place = { owner: 'app_00000000000000000000000001' as AppId, generation: 1 };
  const key = (): Buffer => Buffer.alloc(32, 7);
  const { signal } = new AbortController();

  it('opens a key for its app and generation only, and calls each other place tampering', async () => {
    const aws = provider();
    const wrapped = await aws.wrap(key(), place, signal);
    expect(await aws.unwrap(wrapped, place, signal)).toEqual(key());
    await expect(aws.unwrap(wrapped, { ...place, generation: 2 }, signal)).rejects.toThrow(SealBroken);
    await expect(aws.unwrap(wrapped, { ...place, owner: 'service' }, signal)).rejects.toThrow(SealBroken);
    await expect(aws.unwrap({ ...wrapped, wrappedKey: Buffer.alloc(80) }, place, signal)).rejects.toThrow(SealBroken);
    await aws.health(signal);
  });

  it('moves a key to the configured key of KMS without opening it', async () => {
    const aws = provider();
    const moved = await aws.rewrap(await aws.wrap(key(), place, signal), place, signal);
    expect(kms.calls['ReEncrypt']).toBe(1);
    expect(await aws.unwrap(moved, place, signal)).toEqual(key());
  });

  it.each([
    ['AccessDeniedException', 'denied'],
    ['ThrottlingException', 'throttled'],
    [429, 'throttled'],
    ['KMSInternalException', 'failed'],
    ['DisabledException', 'failed'],
  ] as const)('reports %s as a failure', async (fault, name) => {
    const aws = provider();
    const wrapped = await aws.wrap(key(), place, signal);
    kms.fault = fault;
    await expect(aws.unwrap(wrapped, place, signal)).rejects.toMatchObject({ fault: name });
  });

  it('names the cause when a proxy compresses its responses, which would leave copies of keys in memory', async () => {
    const aws = provider();
    const wrapped = await aws.wrap(key(), place, signal);
    kms.fault = 'compress';
    await expect(aws.unwrap(wrapped, place, signal)).rejects.toMatchObject({
      fault: 'failed',
      message: expect.stringContaining('is compressed'),
    });
  });

  it('reads no more than 64 KiB of a source of credentials', async () => {
    kms.fault = 'pour credentials';
    await expect(provider(kms.env.container).wrap(key(), place, signal)).rejects.toMatchObject({
      fault: 'failed',
      message: expect.stringContaining('answered too much'),
    });
  });

  it('is waited for at most 2 s', async () => {
    const aws = new BoundedProvider(provider());
    kms.fault = 'hang';
    await expect(aws.wrap(key(), place)).rejects.toMatchObject({ fault: 'timeout' });
  });

  it('refuses wrong credentials as a failure', async () => {
    const aws = provider({ ...kms.env.fixed, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await expect(aws.wrap(key(), place, signal)).rejects.toMatchObject({ fault: 'denied' });
  });

  it('takes the credentials of a web identity once, and again when they are refused as expired', async () => {
    const aws = provider({ ...kms.env.webIdentity, AWS_WEB_IDENTITY_TOKEN_FILE: join(directory, 'token') });
    const wrapped = await aws.wrap(key(), place, signal);
    await aws.unwrap(wrapped, place, signal);
    expect(kms.calls['AssumeRoleWithWebIdentity']).toBe(1);
    kms.expireCredentials();
    expect(await aws.unwrap(wrapped, place, signal)).toEqual(key());
    expect(kms.calls['AssumeRoleWithWebIdentity']).toBe(2);
  });

  it('takes the credentials of the container once for simultaneous calls', async () => {
    const aws = provider(kms.env.container);
    const wrapped = await Promise.all(Array.from({ length: 5 }, () => aws.wrap(key(), place, signal)));
    expect(await aws.unwrap(wrapped[0]!, place, signal)).toEqual(key());
    expect(kms.calls['container']).toBe(1);
  });

  it('opens a key by the key that wrapped it after the settings name another one, and moves it by rewrap', async () => {
    const wrapped = await provider().wrap(key(), place, signal);
    const later = provider({ ...kms.env.fixed, AWS_KMS_KEY_ID: OTHER_KEY_ID });
    expect(await later.unwrap(wrapped, place, signal)).toEqual(key());
    const moved = await later.rewrap(wrapped, place, signal);
    expect(moved.keyRef).toContain(OTHER_KEY_ID);
    expect(await later.unwrap(moved, place, signal)).toEqual(key());
    const byAlias = provider({ ...kms.env.fixed, AWS_KMS_KEY_ID: 'alias/service' });
    expect(await byAlias.unwrap(moved, place, signal)).toEqual(key());
  });

  it('reports a ciphertext of another key as denied, also one of another account, which costs no call', async () => {
    const aws = provider();
    const wrapped = await aws.wrap(key(), place, signal);
    const other = { ...wrapped, keyRef: wrapped.keyRef.replace(/key\/.*/, `key/${OTHER_KEY_ID}`) };
    await expect(aws.unwrap(other, place, signal)).rejects.toMatchObject({ name: 'KeyRefused', fault: 'denied' });
    const decrypted = kms.calls['Decrypt'];
    const foreign = { ...other, keyRef: other.keyRef.replace('111122223333', '999922223333') };
    await expect(aws.unwrap(foreign, place, signal)).rejects.toMatchObject({
      name: 'KeyRefused',
      message: expect.stringMatching(/999922223333.*111122223333/),
    });
    await expect(aws.unwrap({ ...wrapped, keyRef: 'alias/service' }, place, signal)).rejects.toThrow(SealBroken);
    await expect(aws.unwrap({ ...wrapped, wrappedKey: Buffer.alloc(3) }, place, signal)).rejects.toThrow(SealBroken);
    expect(kms.calls['Decrypt']).toBe(decrypted);
  });

  it('that refuses one key does not open the circuit breaker', async () => {
    const aws = provider();
    const wrapped = await aws.wrap(key(), place, signal);
    const ofOther = await provider({ ...kms.env.fixed, AWS_KMS_KEY_ID: OTHER_KEY_ID }).wrap(key(), place, signal);
    const bounded = new BoundedProvider(aws);
    kms.disabledKey = OTHER_KEY_ID;
    for (let i = 0; i < 5; i++) await expect(bounded.unwrap(ofOther, place)).rejects.toThrow(KeyRefused);
    kms.disabledKey = null;
    expect(await bounded.unwrap(wrapped, place)).toEqual(key());
  });

  it('takes the credentials of the EC2 instance by version 2 of the metadata service', async () => {
    const aws = provider(kms.env.instance);
    expect(await aws.unwrap(await aws.wrap(key(), place, signal), place, signal)).toEqual(key());
    expect(kms.calls['metadata']).toBe(1);
  });

  it('reports a source of credentials that is gone as a failure', async () => {
    const aws = provider({ ...kms.env.instance, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' });
    await expect(aws.wrap(key(), place, signal)).rejects.toThrow(ProviderFailed);
  });
});

describe('the configuration of key providers', () => {
  const faultsOf = (env: Record<string, string>): readonly string[] => {
    try {
      Config.read({ NODE_ENV: 'test', ...env });
      return [];
    } catch (error) {
      return (error as { faults: string[] }).faults;
    }
  };

  it.each([
    [{ KEY_PROVIDER: 'gpg' }, 'KEY_PROVIDER must be one of'],
    [{ KEY_PROVIDER: 'vault' }, 'VAULT_ADDR'],
    [{ KEY_PROVIDER: 'aws-kms' }, 'AWS_KMS_KEY_ID'],
    [{ KEY_PROVIDER: 'vault', VAULT_ADDR: 'https://v', VAULT_TRANSIT_KEY: 'k', VAULT_ROLE_ID: 'r' }, 'VAULT_SECRET_ID'],
    [
      {
        KEY_PROVIDER: 'vault',
        VAULT_ADDR: 'https://v',
        VAULT_TRANSIT_KEY: 'k',
        VAULT_TOKEN: 't',
        VAULT_CACERT: '/none',
      },
      'VAULT_CACERT',
    ],
    [
      {
        KEY_PROVIDER: 'vault',
        VAULT_ADDR: 'https://v',
        VAULT_TRANSIT_KEY: 'k',
        VAULT_TOKEN: 't',
        VAULT_CACERT: join(process.cwd(), 'package.json'),
      },
      'VAULT_CACERT must be the path of a file with one or more certificates',
    ],
    [
      {
        KEY_PROVIDER: 'aws-kms',
        AWS_KMS_KEY_ID: 'k',
        AWS_REGION: 'eu-central-1',
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://10.0.0.1/c',
      },
      'AWS_CONTAINER_CREDENTIALS',
    ],
  ])('%j is refused', (env, named) => {
    expect(faultsOf(env).join()).toContain(named);
  });

  it('needs https in production, except on this machine', () => {
    const vault = { KEY_PROVIDER: 'vault', VAULT_TRANSIT_KEY: 'k', VAULT_TOKEN: 't' };
    const aws = { KEY_PROVIDER: 'aws-kms', AWS_KMS_KEY_ID: 'k', AWS_REGION: 'eu-central-1' };
    const faults = (env: Record<string, string>): string => faultsOf({ ...env, NODE_ENV: 'production' }).join();
    expect(faults({ ...vault, VAULT_ADDR: 'http://vault.internal:8200' })).toContain(
      'VAULT_ADDR must begin with https',
    );
    expect(faults({ ...vault, VAULT_ADDR: 'http://127.0.0.1.example.com' })).toContain('VAULT_ADDR must begin');
    expect(faults({ ...aws, AWS_ENDPOINT_URL_KMS: 'http://kms.internal' })).toContain(
      'AWS_ENDPOINT_URL_KMS must begin',
    );
    for (const url of [
      'https://vault.internal:8200',
      'http://127.0.0.1:8200',
      'http://localhost:8200',
      'http://[::1]:8200',
    ])
      expect(faults({ ...vault, VAULT_ADDR: url })).not.toContain('VAULT_ADDR');
  });

  it('needs master keys in production only without a provider', () => {
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://a.example',
      DATABASE_URL: 'postgres://localhost/a',
    };
    expect(faultsOf(production).join()).toContain('MASTER_KEYS');
    const vault = { KEY_PROVIDER: 'vault', VAULT_ADDR: 'https://v', VAULT_TRANSIT_KEY: 'k', VAULT_TOKEN: 't' };
    expect(faultsOf({ ...production, ...vault })).toEqual([]);
  });
});
