/** `npm run bench -- payments --policies` runs `payments.ts` with `--policies`, and `npm run bench` runs `bench.ts`. */
const NAMES = [
  'bench',
  'events',
  'flows',
  'growth',
  'imports',
  'keys',
  'overload',
  'pages',
  'payments',
  'record',
  'searches',
  'spans',
  'tokens',
  'webhooks',
];

const isNamed = NAMES.includes(process.argv[2] ?? '');
const [name] = isNamed ? process.argv.splice(2, 1) : ['bench'];
if (!isNamed && process.argv[2] && !process.argv[2].startsWith('-'))
  throw new Error(`There is no bench ${process.argv[2]}: ${NAMES.join(', ')}`);
await import(`./${name}.ts`);
