import { Controller, Get } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/kernel/clock.js';
import { newId } from '../../../src/kernel/ids.js';
import { AppAuthenticator } from '../../../src/edge/auth/credential.js';
import type { AuthenticatedApp } from '../../../src/edge/http/authenticated-request.js';
import { CredentialGuard } from '../../../src/edge/auth/credential.guard.js';
import { App, ManagementKey, NoCredential, PublicToken, SecretKey } from '../../../src/edge/auth/credentials.js';
import { ManagementKeyStrategy, PublicTokenStrategy } from '../../../src/edge/auth/passport-key.strategy.js';
import { ProblemFilter } from '../../../src/edge/problem.filter.js';
import { ManagementCookie } from '../../../src/edge/auth/management-cookie.js';
import { CallRates } from '../../../src/edge/limits/call-rates.js';
import { TooManyRequests } from '../../../src/kernel/errors.js';

@Controller()
class Routes {
  @Get('secret')
  @SecretKey()
  secret(@App() { id }: AuthenticatedApp) {
    return { id };
  }
  @Get('secret-in-query')
  @SecretKey({ alsoInQuery: 'api_key' })
  secretInQuery(@App() { id }: AuthenticatedApp) {
    return { id };
  }
  @Get('scoped')
  @SecretKey({ scopes: ['policies:read', 'approvals:vote'] })
  scoped(@App() { id }: AuthenticatedApp) {
    return { id };
  }
  @Get('never-confined')
  @SecretKey({ scopes: 'policies:read', keepsBinding: true })
  neverConfined(@App() { id }: AuthenticatedApp) {
    return { id };
  }
  @Get('public')
  @PublicToken()
  public(@App() { id }: AuthenticatedApp) {
    return { id };
  }
  @Get('management')
  @ManagementKey('operator')
  management() {
    return {};
  }
  @Get('open')
  @NoCredential()
  open() {
    return {};
  }
  @Get('undeclared')
  undeclared() {
    return {};
  }
}

/**
 * Accepts `sk_<app>`, `pk_<app>`, `mk_1`, and restricted keys `rk_<app>_<limits>`. Secret keys take a random number of iterations of the event loop, so that
 * requests overlap.
 */
class InMemoryAuthenticator extends AppAuthenticator {
  constructor(private readonly apps: readonly string[]) {
    super();
  }
  override async bySecretKey(key: string): Promise<AuthenticatedApp | null> {
    if (key === 'sk_down') throw new Error('The database is unavailable.');
    for (let turns = Math.random() * 5; turns > 0; turns--) await new Promise(setImmediate);
    return this.appOf('sk_', key);
  }
  override commitOnlyIfValid(): void {}
  override byRestrictedKey(key: string): AuthenticatedApp | null {
    const [, id, name] = /^rk_(\w)_(\w+)$/.exec(key) ?? [];
    if (id === undefined || !this.apps.includes(id)) return null;
    const restriction = {
      scopes: [name === 'voter' ? 'approvals:vote' : name === 'writer' ? 'users:write' : 'policies:read'] as const,
      binding: name === 'bound' ? { userId: newId('user'), walletIds: null } : null,
      ipRanges: name === 'elsewhere' ? ['192.0.2.0/24'] : [],
      callsPerSecond: null,
    };
    return { id, restriction } as unknown as AuthenticatedApp;
  }
  override byPublicToken(token: string): AuthenticatedApp | null {
    return this.appOf('pk_', token);
  }
  override byManagementKey(key: string) {
    if (key === 'mk_auditor')
      return { keyId: 'key_2', role: 'auditor', operator: null, expiresAt: null, session: null } as const;
    return key === 'mk_1'
      ? ({ keyId: 'key_1', role: 'owner', operator: null, expiresAt: null, session: null } as const)
      : null;
  }
  override byManagementSession() {
    return null;
  }
  private appOf(prefix: string, key: string): AuthenticatedApp | null {
    const id = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    return this.apps.includes(id) ? ({ id } as AuthenticatedApp) : null;
  }
}

/** Writes down what is counted; `refuses` makes every count of a network fail. */
class CountedCalls {
  readonly counted: string[] = [];
  refuses = false;
  takeForApp({ id }: AuthenticatedApp): void {
    this.counted.push(id);
  }
  takeForNetwork(): void {
    this.counted.push('network');
    if (this.refuses) throw new TooManyRequests(1);
  }
}

async function startWith(apps: readonly string[]) {
  const rates = new CountedCalls();
  const module = await Test.createTestingModule({
    controllers: [Routes],
    providers: [
      { provide: APP_GUARD, useClass: CredentialGuard },
      { provide: AppAuthenticator, useValue: new InMemoryAuthenticator(apps) },
      { provide: ManagementCookie, useValue: { tokenIn: () => undefined } },
      { provide: CallRates, useValue: rates },
      { provide: Clock, useValue: { now: () => new Date() } },
      PublicTokenStrategy,
      ManagementKeyStrategy,
    ],
  }).compile();
  const nest = module.createNestApplication({ logger: false });
  nest.useGlobalFilters(
    new ProblemFilter(rates, () => [], 'https://id.example', { report: () => undefined }, { note: () => undefined }),
  );
  await nest.listen(0, '127.0.0.1');
  const url = await nest.getUrl();
  /** The status, and the app or the error type. */
  const get = async (path: string, key?: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} });
    const { id, error_type } = (await response.json()) as { id?: string; error_type?: string };
    return [response.status, id ?? error_type].filter((part) => part !== undefined).join(' ');
  };
  return { nest, rates, get };
}

describe('the credential guard', () => {
  let service: Awaited<ReturnType<typeof startWith>>;
  beforeEach(async () => {
    service = await startWith(['a', 'b']);
  });
  afterEach(() => service.nest.close());

  it.each([
    ['/secret', 'sk_a', '200 a'],
    ['/secret', 'sk_unknown', '401 unauthorized_credentials'],
    ['/secret', 'pk_a', '403 wrong_key_kind'],
    ['/secret', 'mk_1', '403 wrong_key_kind'],
    ['/secret', undefined, '401 unauthorized_credentials'],
    ['/secret?api_key=sk_a', undefined, '401 unauthorized_credentials'],
    ['/secret-in-query?api_key=sk_a', undefined, '200 a'],
    ['/secret-in-query?api_key=sk_a', 'sk_b', '200 b'],
    ['/secret-in-query?api_key=sk_a', 'not a key', '401 unauthorized_credentials'],
    ['/scoped', 'sk_a', '200 a'],
    ['/scoped', 'rk_a_reader', '200 a'],
    ['/scoped', 'rk_a_voter', '200 a'],
    ['/scoped', 'rk_a_writer', '403 missing_scope'],
    ['/scoped', 'rk_a_bound', '403 outside_binding'],
    ['/never-confined', 'rk_a_bound', '403 outside_binding'],
    ['/scoped', 'rk_a_elsewhere', '403 ip_not_allowed'],
    ['/scoped', 'rk_c_reader', '401 unauthorized_credentials'],
    ['/secret', 'rk_a_reader', '403 wrong_key_kind'],
    ['/secret-in-query?api_key=rk_a_reader', undefined, '403 wrong_key_kind'],
    ['/management', 'rk_a_reader', '403 wrong_key_kind'],
    ['/public?public_token=rk_a_reader', undefined, '403 wrong_key_kind'],
    ['/public?public_token=pk_a', undefined, '200 a'],
    ['/public?public_token=sk_a', undefined, '403 wrong_key_kind'],
    ['/public', 'pk_a', '401 unauthorized_credentials'],
    ['/management', 'mk_1', '200'],
    ['/management', 'mk_auditor', '403 missing_role'],
    ['/management', 'sk_a', '403 wrong_key_kind'],
    ['/open', undefined, '200'],
    ['/undeclared', 'sk_a', '401 unauthorized_credentials'],
    ['/undeclared', 'mk_1', '401 unauthorized_credentials'],
  ])('answers GET %s with the key %s: %s', async (path, key, expected) => {
    expect(await service.get(path, key)).toBe(expected);
  });

  it('answers 500 and not 401 when a key cannot be looked up', async () => {
    expect(await service.get('/secret', 'sk_down')).toBe('500 internal_error');
  });

  it('counts a call with a secret key for its app and a refused call for its network', async () => {
    await service.get('/secret', 'sk_a');
    await service.get('/secret', 'sk_unknown');
    await service.get('/management', 'mk_1');
    await service.get('/management', 'mk_2');
    await service.get('/public?public_token=pk_a');
    await service.get('/open');
    expect(service.rates.counted).toEqual(['a', 'network', 'network', 'network', 'network']);
  });

  it('answers 429 and not 401 to a network that has guessed too many keys', async () => {
    service.rates.refuses = true;
    expect(await service.get('/secret', 'sk_unknown')).toBe('429 too_many_requests');
    expect(await service.get('/secret', 'sk_a')).toBe('200 a');
  });

  it('gives every one of 200 simultaneous requests the app of its own key', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => ['sk_a', 'sk_b', 'sk_unknown'][i % 3]!);
    const answers = await Promise.all(keys.map((key) => service.get('/secret', key)));
    expect(answers).toEqual(
      keys.map((key) => (key === 'sk_unknown' ? '401 unauthorized_credentials' : `200 ${key[3]}`)),
    );
  });
});

describe('two applications in one process', () => {
  it('ask separate authenticators, also once the second one has closed', async () => {
    const [first, second] = [await startWith(['a']), await startWith(['b'])];
    for (const path of ['/secret', '/public?public_token=pk_a']) {
      expect(await first.get(path, 'sk_a')).toBe('200 a');
    }
    expect(await first.get('/secret', 'sk_b')).toBe('401 unauthorized_credentials');
    expect(await first.get('/public?public_token=pk_b')).toBe('401 unauthorized_credentials');
    expect(await second.get('/secret', 'sk_b')).toBe('200 b');
    expect(await second.get('/public?public_token=pk_b')).toBe('200 b');
    await second.nest.close();
    expect(await first.get('/secret', 'sk_a')).toBe('200 a');
    expect(await first.get('/public?public_token=pk_a')).toBe('200 a');
    await first.nest.close();
  });
});
