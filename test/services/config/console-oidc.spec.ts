import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';

const ALL = {
  CONSOLE_OIDC_ISSUER: 'https://id.corp.example/',
  CONSOLE_OIDC_CLIENT_ID: 'console',
  CONSOLE_OIDC_CLIENT_SECRET: 'canary-secret',
  CONSOLE_OIDC_ROLES: 'groups=platform:owner, https://corp.example/r=urn:a:b:auditor',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    Config.read(env);
    return [];
  } catch (error) {
    return (error as ConfigurationRefused).faults;
  }
}

describe('the OpenID provider of the operators', () => {
  it('is read with the roles by claims', () => {
    expect(Config.read({}).consoleOidc).toBeUndefined();
    expect(Config.read(ALL).consoleOidc).toEqual({
      issuer: 'https://id.corp.example',
      clientId: 'console',
      clientSecret: 'canary-secret',
      acrValues: [],
      maxAgeSeconds: null,
      scopes: ['openid', 'email', 'profile'],
      isPrivate: false,
      registration: expect.stringMatching(/^[0-9a-f]{64}$/),
      roles: [
        { claim: 'groups', value: 'platform', role: 'owner' },
        { claim: 'https://corp.example/r', value: 'urn:a:b', role: 'auditor' },
      ],
    });
  });

  it.each(Object.keys(ALL))('needs %s', (name) => {
    const faults = faultsOf({ ...ALL, [name]: '' });
    expect(faults).toEqual([expect.stringMatching(/must be set together/)]);
  });

  it.each([
    'platform:owner',
    'groups=platform',
    'groups=platform:admin',
    'groups=:owner',
    'groups=a:owner,',
    ',',
    '=a:owner',
  ])('refuses the roles %s', (roles) => {
    const faults = faultsOf({ ...ALL, CONSOLE_OIDC_ROLES: roles });
    expect(faults).toEqual([expect.stringMatching(/^CONSOLE_OIDC_ROLES must be claim=value:role/)]);
    expect(faults.join()).not.toContain('canary');
  });

  it('may have values with commas, and scopes of its own, which include openid', () => {
    const { roles } = Config.read({
      ...ALL,
      CONSOLE_OIDC_ROLES: 'groups=CN=Admins,OU=G:owner, groups=b:auditor',
    }).consoleOidc!;
    expect(roles.map(({ value }) => value)).toEqual(['CN=Admins,OU=G', 'b']);
    expect(Config.read({ ...ALL, CONSOLE_OIDC_SCOPES: 'openid groups' }).consoleOidc!.scopes).toEqual([
      'openid',
      'groups',
    ]);
    expect(faultsOf({ ...ALL, CONSOLE_OIDC_SCOPES: 'groups' })).toEqual([
      expect.stringMatching(/^CONSOLE_OIDC_SCOPES/),
    ]);
  });

  it('requires a proof of the age and the kinds that are set, and any without', () => {
    const of = (changes: Record<string, string>) => Config.read({ ...ALL, ...changes }).consoleOidc!;
    expect(of({})).toMatchObject({ maxAgeSeconds: null, acrValues: [] });
    const strict = of({ CONSOLE_OIDC_MAX_AGE: '900', CONSOLE_OIDC_ACR: 'urn:corp:mfa  urn:corp:key' });
    expect(strict).toMatchObject({ maxAgeSeconds: 900, acrValues: ['urn:corp:mfa', 'urn:corp:key'] });
    expect(strict.registration).not.toBe(of({}).registration);
    expect(faultsOf({ ...ALL, CONSOLE_OIDC_MAX_AGE: '59' })).toEqual([expect.stringMatching(/^CONSOLE_OIDC_MAX_AGE/)]);
  });

  it('may be on a private address by a setting of its own', () => {
    expect(Config.read({ ...ALL, CONSOLE_OIDC_PRIVATE_ISSUER: 'true' }).consoleOidc!.isPrivate).toBe(true);
    expect(faultsOf({ ...ALL, CONSOLE_OIDC_PRIVATE_ISSUER: 'yes' })).toEqual([
      expect.stringMatching(/^CONSOLE_OIDC_PRIVATE_ISSUER must be one of true, false/),
    ]);
  });

  it('is another registration with another issuer, client or role, and the same with another secret', () => {
    const of = (changes: Record<string, string>) => Config.read({ ...ALL, ...changes }).consoleOidc!.registration;
    expect(of({ CONSOLE_OIDC_CLIENT_SECRET: 'new' })).toBe(of({}));
    expect(of({ CONSOLE_OIDC_PRIVATE_ISSUER: 'true' })).toBe(of({}));
    for (const changes of [
      { CONSOLE_OIDC_ISSUER: 'https://b.example' },
      { CONSOLE_OIDC_CLIENT_ID: 'b' },
      { CONSOLE_OIDC_ROLES: 'groups=platform:auditor' },
    ] as Record<string, string>[])
      expect(of(changes)).not.toBe(of({}));
  });
});
