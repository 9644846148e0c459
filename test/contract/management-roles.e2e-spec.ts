import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../src/kernel/management-role.js';
import { ManagementKeys } from '../../src/modules/apps/index.js';
import { ROOT } from '../../src/services/root.js';
import { startApp, type TestApp } from '../support/app.js';
import { tenth } from '../support/sampled.js';

// Calls every operation of the management API with a key of each role. The role is checked before the path and the body, so objects that
// do not exist are enough.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const NO_ID = '0'.repeat(26);

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly description: string;
}
const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths)
  .filter(([path]) => path.startsWith('/management/'))
  .flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map(
      (method) => [`${method.toUpperCase()} ${path}`, item[method]!] as const,
    ),
  );

/** The role that the document shows for an operation. */
function neededFor(operation: Operation): ManagementRole {
  const [role] = operation.security.find((each) => each['management_key'])!['management_key']!;
  return role as ManagementRole;
}

let app: TestApp;
let keys: Readonly<Record<ManagementRole, string>>;
beforeAll(async () => {
  app = await startApp();
  const managementKeys = app.nest.get(ManagementKeys);
  const made: [ManagementRole, string][] = [];
  for (const role of MANAGEMENT_ROLES) {
    const { key } = await managementKeys.create(
      { actor: 'cli', requestId: null, ip: null },
      { name: role, role, expiresAt: null },
    );
    made.push([role, key]);
  }
  keys = Object.fromEntries(made) as Record<ManagementRole, string>;
});
afterAll(() => app?.stop());

describe('a management operation', () => {
  it.each(tenth(operations))(
    '%s is permitted to the roles that the document shows, and to no other',
    async (name, operation) => {
      const [method, template] = name.split(' ') as [string, string];
      const path = template.replace(/\{app_id\}/, `app_${NO_ID}`).replace(/\{\w+\}/g, NO_ID);
      const permitted: ManagementRole[] = [];
      for (const role of MANAGEMENT_ROLES) {
        const { status, body } = await app.call(method, path, {
          key: keys[role],
          ...(method !== 'GET' && { body: {} }),
        });
        expect(status).not.toBe(401);
        if (body.error_type !== 'missing_role') permitted.push(role);
      }
      const expected = MANAGEMENT_ROLES.slice(0, MANAGEMENT_ROLES.indexOf(neededFor(operation)) + 1);
      expect(permitted).toEqual(expected);
      const names =
        expected.length === MANAGEMENT_ROLES.length ? 'all' : expected.map((role) => `\`${role}\``).join(', ');
      expect(operation.description).toContain(`Roles: ${names}.`);
    },
  );

  it('is not permitted to support if it changes keys, settings, endpoints or transfers', () => {
    const changes = operations.filter(([name]) => !name.startsWith('GET '));
    const ofSupport = changes.filter(([, operation]) => neededFor(operation) === 'support').map(([name]) => name);
    expect(ofSupport.length).toBeGreaterThan(4);
    for (const name of ofSupport) expect(name).toMatch(/\/(users|sessions|messages|jobs|grants)(\/|$)|\/freeze$/);
  });
});
