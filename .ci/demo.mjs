// Builds the demo app of test/demo/app into dist/demo: its backend, and the scripts of its page.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const form = { absWorkingDir: at('.'), bundle: true, outdir: at('dist/demo'), format: 'esm', logLevel: 'warning' };

await build({
  ...form,
  // The second one must run before the library that it quiets, so it is a file of its own.
  entryPoints: [
    { in: 'test/demo/app/backend.ts', out: 'backend' },
    { in: 'test/support/quiet-oidc-provider.ts', out: 'quiet-oidc-provider' },
  ],
  platform: 'node',
  target: 'node20',
  // Those of the service itself are installed.
  packages: 'external',
  external: ['./quiet-oidc-provider.js'],
});
await build({
  ...form,
  entryPoints: ['test/demo/app/page.ts', 'test/demo/app/page-wallet.ts'],
  target: 'es2022',
  minify: true,
  external: ['./page-wallet.js'],
});
for (const file of ['page.html', 'style.css']) cpSync(at(`test/demo/app/${file}`), at(`dist/demo/${file}`));
