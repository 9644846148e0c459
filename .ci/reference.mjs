// Copies Redoc, which /reference serves, into dist/reference. The file is kept in openapi/redoc, as its package brings 97 others that the
// file does not need. For another version: `npm pack redoc@<version>`, and the two files below `package/bundles` of the archive.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

cpSync(at('openapi/redoc'), at('dist/reference'), { recursive: true });
