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
});
