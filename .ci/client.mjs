// Writes openapi/client/src/operations.ts from openapi.json, or into the file in the first argument: the methods of the client by resource.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = process.argv[2] ?? join(root, 'openapi', 'client', 'src', 'operations.ts');
const { paths, components } = JSON.parse(readFileSync(join(root, 'openapi', 'openapi.json'), 'utf8'));

const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Names that do not follow from the path. */
const EXCEPTIONS = {
  jwks_own: 'jwks.default',
  jwks_ofApp: 'jwks.get',
  operations_messages: 'management.apps.messages.list',
  operations_jobs: 'management.apps.jobs.list',
  totp_recover: 'totps.recovery',
  walletLogin_challenge: 'wallets.registrations.begin',
  userManagement_addEmail: 'management.apps.users.emails.add',
  userManagement_removeEmail: 'management.apps.users.emails.remove',
  userManagement_addPhoneNumber: 'management.apps.users.phoneNumbers.add',
  userManagement_removePhoneNumber: 'management.apps.users.phoneNumbers.remove',
};

/** The static parts of the path, then the verb, which the last part of the path often is. */
function nameOf(path, operationId) {
  if (EXCEPTIONS[operationId]) return EXCEPTIONS[operationId];
  const parts = path
    .replace(/^\/v1\/(auth\/)?|^\/(management)\/v1\//, '$2/')
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .map(camel);
  const verb = operationId.split('_')[1].replace(/^list.*/, 'list');
  // `otp_verify` of `otps/verify`, and `otp_loginOrCreateByEmail` of `otps/email/login_or_create`.
  return (verb.startsWith(parts.at(-1)) ? parts : [...parts, verb]).join('.');
}

/** The successful response, which several operations may share. */
function successOf({ responses }) {
  const response = responses?.['200'];
  return response?.$ref ? components.responses[response.$ref.split('/').pop()] : response;
}

const operations = Object.entries(paths)
  .filter(([path]) => /^\/(v1|management\/v1)\//.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => successOf(operation)?.content?.['application/json'])
      .map(([method, { operationId }]) => [nameOf(path, operationId), method, path]),
  );
const twice = operations.filter(([name], index) => operations.findIndex(([other]) => other === name) !== index);
if (twice.length > 0) throw new Error(`Two operations have the name ${twice.map(([name]) => name).join(', ')}.`);

const lines = operations.map(([name, method, path]) => `  '${name}': ['${method}', '${path}'],`);
const text = `// Made from openapi.json by \`npm run openapi\`.

/** The method and the path of each call, by the name that the client gives it. */
export const OPERATIONS = {
${lines.join('\n')}
} as const;
`;
writeFileSync(file, text);
