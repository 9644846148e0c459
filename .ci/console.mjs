// Builds the console of src/console into dist/console. The names of its files contain their hashes.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// With any other value the files hold code for development, also those that a test measures.
process.env.NODE_ENV = 'production';
await build({
  configFile: false,
  root: at('src/console'),
  // The service puts the path of BASE_URL before the addresses of the page; files find each other by their own.
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // A data URL would need a directive of its own in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What most pages share compresses better in one file than in three.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'index', test: /src\/console\/(?!ui\/plot)/ }] } } },
  },
});
