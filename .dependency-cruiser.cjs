// The arrows: which part of src may know which. A layer is a folder of a module, or of one of its topics (`wallet/keys/domain`). Each rule is broken on purpose once in test/architecture/fixture, and
// test/architecture/arrows.spec.ts expects exactly those violations there and none in src.

const { MAY_CALL, TOPICS } = require('./.module-borders.cjs');

/** What of Node the inner layers may use: computation only, nothing that reaches a file, a socket or another process. */
const PURE_NODE = '^(node:)?(assert|buffer|crypto|url|util)$';
/** Likewise libraries that only compute and that the rules of a domain are written in. */
const PURE_LIBRARIES = '(^|/)node_modules/(libphonenumber-js|tldts)/';
/** Writes rows of every module, because the API chooses ids and secrets itself. */
const DEMO_APP = '^src/dev/demo-(app|objects|page|reset)\\.ts$';
/** Vite bundles the pages of the modules by their paths: `src/console/pages.ts`. */
const PAGES = '^src/modules/[^/]+/console/';
/** The process that calls the PKCS#11 module of an HSM. */
const MODULE_PROCESS = 'services/crypto/providers/pkcs11-process\\.ts';
/** The thread that compares passwords. */
const HASH_WORKER = 'modules/password/infrastructure/hash-worker\\.mjs';
const ENTRY_POINTS = `^src/((main|cli|openapi)\\.ts|console/main\\.tsx|${MODULE_PROCESS}|${HASH_WORKER})$|${PAGES}[^/]+\\.tsx$`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const layers = [
  rule(
    'kernel-knows-only-itself',
    'The kernel is pure TypeScript: Node and itself.',
    { path: '^src/kernel/' },
    { pathNot: '^src/kernel/', dependencyTypesNot: ['core'] },
  ),
  rule(
    'domain-knows-only-itself-and-the-kernel',
    'No Nest, no TypeORM, no HTTP, no other module. What the domain needs from outside is an abstract class it owns.',
    { path: '^src/modules/([^/]+)(/|/[^/]+/)domain/' },
    { pathNot: ['^src/modules/$1(/|/[^/]+/)domain/', '^src/kernel/', PURE_NODE, PURE_LIBRARIES] },
  ),
  rule(
    'application-knows-domain-kernel-and-faces',
    'Application also knows the faces of other modules and @nestjs/common for injection; never an edge or a technology.',
    { path: '^src/modules/([^/]+)(/|/[^/]+/)application/' },
    {
      pathNot: [
        '^src/modules/$1(/|/[^/]+/)(domain|application)/',
        '^src/modules/(?!$1/)[^/]+/index\\.ts$',
        '^src/kernel/',
        '(^|/)node_modules/@nestjs/common/',
        PURE_NODE,
        PURE_LIBRARIES,
      ],
    },
  ),
  rule(
    'http-knows-no-infrastructure',
    'http calls application; it does not know how things are stored or sent.',
    { path: '^src/modules/[^/]+(/|/[^/]+/)http/' },
    { path: '^src/modules/[^/]+(/|/[^/]+/)infrastructure/' },
  ),
  rule(
    'infrastructure-knows-no-http',
    'infrastructure implements the ports of its domain; it does not know which requests use them.',
    { path: '^src/modules/[^/]+(/|/[^/]+/)infrastructure/' },
    { path: '^src/modules/[^/]+(/|/[^/]+/)http/' },
  ),
  rule(
    'infrastructure-calls-no-application',
    'infrastructure is called through the ports it implements and never calls back.',
    { path: '^src/modules/([^/]+)(/|/[^/]+/)infrastructure/' },
    { path: '^src/modules/$1(/|/[^/]+/)application/' },
  ),
  rule(
    'postgres-knows-only-the-kernel',
    'Connections, statements and transactions are the same under any set of services.',
    { path: '^src/postgres/' },
    { path: '^src/', pathNot: '^src/(kernel|postgres)/' },
  ),
  rule(
    'services-know-kernel-and-postgres',
    'The ports of the kernel made real. What needs a request is in edge.',
    { path: '^src/services/' },
    { path: '^src/', pathNot: '^src/(kernel|postgres|services)/' },
  ),
  rule(
    'edge-knows-no-module',
    'Guards, filters and the HTTP server are the same under any set of modules.',
    { path: '^src/edge/' },
    { path: '^src/', pathNot: '^src/(kernel|postgres|services|edge)/' },
  ),
  rule(
    'console-calls-the-public-api',
    'The console runs in browsers and knows the service by its API only, through the typed client.',
    { path: '^src/console/' },
    { path: '^(src|migrations)/', pathNot: '^src/console/' },
  ),
  rule(
    'pages-call-the-public-api',
    'The pages of a module run in browsers too: they know the console and each other.',
    { path: '^src/modules/([^/]+)/console/' },
    { path: '^(src|migrations)/', pathNot: ['^src/console/', '^src/modules/$1/console/'] },
  ),
  rule(
    'pages-are-for-browsers',
    'Nothing of the service imports a page.',
    { path: '^src/', pathNot: PAGES },
    { path: PAGES },
  ),
  rule(
    'dev-stands-alone',
    'The embedded PostgreSQL and the local chain need nothing of the service. What makes and serves the demo app uses its use cases.',
    { path: '^src/dev/', pathNot: DEMO_APP },
    { path: '^src/', pathNot: '^src/dev/' },
  ),
  rule(
    'dev-is-loaded-in-development-only',
    'The image holds no src/dev, so only a dynamic import may load it.',
    { path: '^src/', pathNot: '^src/dev/' },
    { path: '^src/dev/', dynamic: false },
  ),
];

const faces = [
  rule(
    'modules-meet-through-their-index',
    'What index.ts does not export is private to the module.',
    { path: '^src/modules/([^/]+)/' },
    { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
  ),
  rule(
    'wiring-goes-through-the-index',
    'Neither do the entry points, the app module and the list of modules reach into a module.',
    { path: '^src/', pathNot: ['^src/modules/[^/]+/', DEMO_APP] },
    {
      path: '^src/modules/',
      pathNot: '^src/modules/(index|commands|request-trails|[^/]+/(index|commands|request-trail))\\.ts$',
    },
  ),
  rule(
    'index-shows-no-machinery',
    'index.ts exports the module class, the facade and published types; of http only the fields other modules also speak.',
    { path: '^src/modules/[^/]+/index\\.ts$' },
    {
      path: '^src/modules/[^/]+(/|/[^/]+/)(http|infrastructure)/',
      pathNot: '/http(/|/[^/]+/)exported-[^/]+\\.dto\\.ts$',
    },
  ),
  ...Object.entries(MAY_CALL).map(([module, callees]) =>
    rule(
      'module-calls-only-whom-it-may',
      `MAY_CALL: ${module} may call ${callees.join(', ') || 'no other module'}.`,
      { path: `^src/modules/${module}/` },
      { path: '^src/modules/', pathNot: `^src/modules/(${[module, ...callees].join('|')})/` },
    ),
  ),
  rule(
    'module-is-listed',
    'A new module gets a line in MAY_CALL, or nothing would bound what it calls.',
    { path: `^src/modules/(?!(${Object.keys(MAY_CALL).join('|')})/)[^/]+/` },
    {},
  ),
];

const FLOORS = {
  ...Object.fromEntries(Object.entries(TOPICS).map(([module, floors]) => [`modules/${module}`, floors])),
  edge: [['errors'], ['http'], ['limits'], ['auth'], ['idempotency', 'pages'], ['openapi'], ['health']],
  services: [['config']],
};

const topics = Object.entries(FLOORS).flatMap(([part, floors]) =>
  floors.flatMap((floor, height) =>
    floor.map((topic) =>
      rule(
        'topic-knows-only-topics-below',
        `FLOORS: ${topic} of ${part} may know the topics before it, not those beside or after it.`,
        { path: `^src/${part}/${topic}/` },
        {
          path: `^src/${part}/`,
          pathNot: `^src/${part}/(${[topic, ...floors.slice(0, height).flat()].join('|')})/`,
        },
      ),
    ),
  ),
);

const hygiene = [
  rule('no-circle', 'Two files that need each other are one thing.', {}, { circular: true }),
  rule(
    'reached-from-an-entry-point',
    'A file no entry point leads to is dead.',
    { path: ENTRY_POINTS },
    { path: '^src/', pathNot: [ENTRY_POINTS, '\\.d\\.ts$'], reachable: false },
  ),
  rule(
    'production-knows-no-tests',
    'src and migrations are what ships.',
    { path: '^(src|migrations)/' },
    { path: '^(test|docker|\\.ci)/' },
  ),
  rule(
    'production-needs-no-dev-dependency',
    'The image holds no dev dependencies; their types are gone by then, and Vite bundles those of the console.',
    { path: '^(src|migrations)/', pathNot: ['^src/console/', PAGES] },
    { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  ),
  rule('resolvable', 'An import must lead somewhere.', {}, { couldNotResolve: true }),
];

module.exports = {
  forbidden: [...layers, ...faces, ...topics, ...hygiene],
  options: {
    doNotFollow: { path: 'node_modules' },
    // A type-only import is an arrow too: a change of the type changes its users.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
