// Writes what the clients have of openapi.json, or writes it below the directory in the first argument: the methods by resource, and for
// Python and Go the types.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goOperations } from './client-go.mjs';
import { pythonModels, pythonOperations, pythonResources } from './client-python.mjs';
import { typescriptMethods, typescriptOperations } from './client-typescript.mjs';

const root = process.argv[2] ?? fileURLToPath(new URL('../openapi', import.meta.url));

const files = {
  'client/src/methods.ts': typescriptMethods(),
  'client/src/operations.ts': typescriptOperations(),
  'python/identity_and_wallets/models.py': pythonModels(),
  'python/identity_and_wallets/operations.py': pythonOperations(),
  'python/identity_and_wallets/resources.py': pythonResources(),
  'go/operations.go': goOperations(),
};
for (const [name, text] of Object.entries(files)) {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
