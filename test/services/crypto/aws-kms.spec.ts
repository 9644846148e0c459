import { AwsV4Signer } from 'aws4fetch';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealBroken } from '../../../src/kernel/vault.js';
import { Config } from '../../../src/services/config/config.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { ProviderFailed } from '../../../src/services/crypto/key-provider.js';
import { AwsKms } from '../../../src/services/crypto/providers/aws-kms.js';
import { type KmsServer, signatureOf, startKms, WEB_IDENTITY_TOKEN } from '../../support/kms-server.js';

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
  ])('%j is refused', (env, named) => {
    expect(faultsOf(env).join()).toContain(named);
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
