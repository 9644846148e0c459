// Copies Redoc, which /reference serves, into dist/reference. A production install leaves the package out: the file needs none of the 79
// packages that come with it.
import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const target = fileURLToPath(new URL('../dist/reference', import.meta.url));

mkdirSync(target, { recursive: true });
const bundle = require.resolve('redoc/bundles/redoc.standalone.js');
cpSync(bundle, `${target}/redoc.standalone.js`);
cpSync(`${bundle}.LICENSE.txt`, `${target}/redoc.standalone.js.LICENSE.txt`);
