import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    Config.read(env);
    return [];
  } catch (error) {
    return (error as ConfigurationRefused).faults;
  }
}

const key = (): string => randomBytes(32).toString('base64');

describe('the configuration', () => {
  it('names every fault at once, also of the master keys, and no value', () => {
    const faults = faultsOf({
      PORT: 'secret-port',
      BASE_URL: 'https://a.example/?secret',
      MASTER_KEYS: `one:secret-key,two:${key()},${key()}`,
      TRUST_PROXY: 'secretproxy',
      SESSION_CLAIM: 'exp',
    });
    expect(faults.map((fault) => fault.split(/[ :]/)[0])).toEqual([
      'PORT',
      'BASE_URL',
      'MASTER_KEYS',
      'MASTER_KEYS',
      'TRUST_PROXY',
      'SESSION_CLAIM',
    ]);
    expect(faults.join()).not.toContain('secret');
  });

  it('reads a secret from the file that its variable with _FILE names', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'secret');
    const managementKey = `mk_${'a'.repeat(40)}`;
    writeFileSync(path, `${managementKey}\n`);
    expect(Config.read({ MANAGEMENT_KEY_FILE: path }).managementKey).toBe(managementKey);
    expect(Config.read({ MANAGEMENT_KEY: managementKey, MANAGEMENT_KEY_FILE: '' }).managementKey).toBe(managementKey);
    writeFileSync(path, '{"one": 1}');
    expect(faultsOf({ MANAGEMENT_KEY_FILE: path })).toEqual([expect.stringMatching(/^MANAGEMENT_KEY must be mk_/)]);
  });

  it('refuses a secret that is set twice, and a file of a secret that is empty or absent', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'secret');
    writeFileSync(path, '\n');
    const env = {
      MASTER_KEYS: `one:${key()}`,
      MASTER_KEYS_FILE: path,
      SMTP_URL_FILE: path,
      DATABASE_URL_FILE: `${path}-2`,
    };
    expect(faultsOf(env)).toEqual([
      'DATABASE_URL_FILE must be the path of a file with text that can be read.',
      'MASTER_KEYS and MASTER_KEYS_FILE exclude each other.',
      'SMTP_URL_FILE must be the path of a file with text that can be read.',
    ]);
  });

  it('refuses a file of a secret in another encoding, and with a second line where the value has one', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'secret');
    writeFileSync(path, Buffer.from('token', 'utf16le'));
    expect(faultsOf({ AWS_SESSION_TOKEN_FILE: path })).toEqual([
      'AWS_SESSION_TOKEN_FILE must have text in UTF-8, in one line.',
    ]);
    writeFileSync(path, 'one\ntwo');
    expect(faultsOf({ AWS_SESSION_TOKEN_FILE: path })).toHaveLength(1);
    writeFileSync(path, `one:${key()},\ntwo:${key()}\n`);
    expect(faultsOf({ MASTER_KEYS_FILE: path })).toEqual([]);
  });

  it('refuses one port for both listeners', () => {
    expect(faultsOf({ PORT: '3000', HEALTH_PORT: '3000' })).toEqual(['HEALTH_PORT must differ from PORT.']);
  });

  it('sends spans where a variable of OpenTelemetry asks, and names its faults', () => {
    const at = (env: Record<string, string>) => Config.read(env).openTelemetry;
    expect(at({})).toBeUndefined();
    expect(at({ OTEL_TRACES_EXPORTER: 'otlp' })?.url).toBe('http://localhost:4318/v1/traces');
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' };
    expect(at(collector)).toMatchObject({ url: 'http://otel:4318/v1/traces', protocol: 'http/protobuf', ratio: 1 });
    expect(at({ ...collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://otel/x' })?.url).toBe('http://otel/x');
    expect(at({ ...collector, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(at({ ...collector, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    const faulty = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'some',
      OTEL_TRACES_SAMPLER_ARG: '5',
      OTEL_EXPORTER_OTLP_HEADERS: 'a',
    };
    expect(() => at(faulty)).toThrow(/_PROTOCOL .*_HEADERS .*_SAMPLER .*_SAMPLER_ARG /s);
  });

  it('takes a direct URL of the database beside the usual one, and not alone', () => {
    const [pooled, direct] = ['postgres://pooler:6432/d', 'postgres://database/d'];
    const { databaseUrl, databaseDirectUrl } = Config.read({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct });
    expect([databaseUrl, databaseDirectUrl]).toEqual([pooled, direct]);
    expect(faultsOf({ DATABASE_DIRECT_URL: direct })).toEqual(['DATABASE_DIRECT_URL needs DATABASE_URL.']);
    expect(faultsOf({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: 'database' })).toHaveLength(1);
    const hosts = 'postgres://service:pass@one:5432,two:5432/service?target_session_attrs=read-write';
    expect(faultsOf({ DATABASE_URL: hosts })).toEqual([expect.stringMatching(/^DATABASE_URL names several hosts/)]);
    expect(faultsOf({ DATABASE_URL: 'postgres://service:a,b@one/service' })).toEqual([]);
  });

  it.each(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])('keeps the session out of the claim %s', (claim) => {
    expect(faultsOf({ SESSION_CLAIM: claim })).toEqual(['SESSION_CLAIM must not be a registered claim.']);
  });

  it.each([
    ['false', false],
    ['2', 2],
    ['10.0.0.1', '10.0.0.1'],
    ['loopback, 10.0.0.0/8,fd00::/8', 'loopback, 10.0.0.0/8,fd00::/8'],
  ])('believes the proxies of TRUST_PROXY=%s', (text, trusted) => {
    expect(Config.read({ TRUST_PROXY: text }).trustProxy).toBe(trusted);
  });

  it.each(['2027-02-29', '2027-7-1', 'never', '2027-07-01T00:00'])('refuses UNKEYED_HASHES_UNTIL=%s', (text) => {
    expect(faultsOf({ UNKEYED_HASHES_UNTIL: text })).toEqual([
      'UNKEYED_HASHES_UNTIL must be a date such as 2027-07-01.',
    ]);
  });

  it.each(['true', 'abc', '10.0.0.0/99', '1.2.3.4,', '1.2.3.4 5.6.7.8'])('refuses TRUST_PROXY=%s', (text) => {
    expect(faultsOf({ TRUST_PROXY: text })).toEqual([
      'TRUST_PROXY must be a number of proxies or a list of their addresses.',
    ]);
  });

  it('reads fee ceilings in gwei, decimals included, and in lamports', () => {
    const standard = Config.read({});
    expect(standard.ethereum.maxFeePerGas).toBe(500_000_000_000n);
    expect(standard.ethereum.maxTip).toBe(50_000_000_000n);
    expect(standard.solanaMaxFeeLamports).toBe(1_000_000n);
    const given = Config.read({ ETHEREUM_MAX_FEE_PER_GAS: '0.05', ETHEREUM_MAX_TIP: '0', SOLANA_MAX_FEE: '5000' });
    expect(given.ethereum.maxFeePerGas).toBe(50_000_000n);
    const feeOf = (text?: string) => Config.read({ ETHEREUM_MAX_TRANSACTION_FEE: text }).ethereum.maxTransactionFee;
    expect([feeOf(), feeOf('0.2'), feeOf('0')]).toEqual([5n * 10n ** 16n, 2n * 10n ** 17n, 0n]);
    expect(faultsOf({ ETHEREUM_MAX_TRANSACTION_FEE: '1e2' })).toEqual([
      'ETHEREUM_MAX_TRANSACTION_FEE must be an amount of ether from 0 to 999999, with at most 18 decimals.',
    ]);
    expect(given.ethereum.maxTip).toBe(0n);
    expect(given.solanaMaxFeeLamports).toBe(5_000n);
  });

  it.each(['-1', '1e9', '0.0000000001', '1000000', 'gwei', '.5'])('refuses a fee ceiling of %s gwei', (text) => {
    expect(faultsOf({ ETHEREUM_MAX_FEE_PER_GAS: text })).toEqual([
      'ETHEREUM_MAX_FEE_PER_GAS must be an amount of gwei from 0 to 999999, with at most 9 decimals.',
    ]);
  });

  it('reads one URL of a chain’s node, or several separated by commas', () => {
    expect(Config.read({}).ethereum.rpc).toEqual([]);
    expect(Config.read({ SOLANA_RPC_URL: 'https://a.example' }).networks[1]?.rpc).toEqual(['https://a.example']);
    expect(Config.read({ ETHEREUM_RPC_URL: 'https://a.example/k, http://b.example' }).ethereum.rpc).toEqual([
      'https://a.example/k',
      'http://b.example',
    ]);
  });

  it.each([
    'ftp://a.example',
    'https://a.example,',
    'https://a.example, secret',
    'https://a.example,https://A.example/',
  ])('refuses ETHEREUM_RPC_URL=%s, and names the setting but not the URL', (text) => {
    const [fault, ...furtherFaults] = faultsOf({ ETHEREUM_RPC_URL: text });
    expect(fault).toMatch(/^ETHEREUM_RPC_URL must/);
    expect(fault).not.toMatch(/example|secret/);
    expect(furtherFaults).toEqual([]);
  });

  it('accepts a base URL with a path, and appends paths to it', () => {
    expect(Config.read({ BASE_URL: 'https://a.example/auth/' }).baseUrl).toBe('https://a.example/auth');
    expect(faultsOf({ BASE_URL: 'https://ann:secret@a.example' })).toHaveLength(1);
  });
});
