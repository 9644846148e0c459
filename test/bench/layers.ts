/** What V8's profiler writes: a tree of calls, and which of its nodes was on top at each sample. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds from one sample to the next. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A layer is known by the files it lives in, in this order. Calls into Node or a library count for the layer that made them. */
const LAYERS: readonly (readonly [layer: string, file: RegExp, functionName?: RegExp])[] = [
  [
    'Request log and metrics',
    /request-context\.js|\/(pino|sonic-boom|thread-stream|prom-client|safe-stable-stringify)\//,
  ],
  ['MACs of rows', /services\/crypto\/service-row-macs|kernel\/(row-macs|canonical-json)/],
  ['Key check and call rate', /\/dist\/src\/(edge\/(auth|limits)|modules\/apps)\//],
  [
    'Reading and validating the request',
    /edge\/http\/(fields|validation\.pipe|json-(body|text)|request-target|path-id)/,
  ],
  [
    'Wallet key and signature',
    /wallet\/(infrastructure\/.*sign|domain\/message-signer)|services\/crypto\/(?!random)|\/(ethers|secp256k1|@noble)\//,
  ],
  ['Session token and JWT', /session\/(application\/session-secrets|application\/signing-keys|domain\/session-jwt)/],
  [
    'SQL (pg, rows, pool)',
    /\/(pg|pg-pool|pg-protocol|pg-types|postgres-[a-z]+|typeorm)\/|(postgres\/|services\/transactional-events\.)|infrastructure\/(postgres|typeorm)-/,
  ],
  ['Answer as JSON', /express\/lib\/response\.js/, /^(json|send|stringify)$/],
  ['Answer as JSON', /json-express-adapter\.js|\.dto\.js|session\/domain\/session\.js|wallet\/\w+\/domain/],
  ['Response headers', /edge\/http\/edge\.js/],
  ['Sending the response', /edge\/http\/http-server\.js/],
  [
    'Express and Nest',
    /\/(express|router|finalhandler|path-to-regexp|@nestjs|rxjs|parseurl|qs|accepts|vary|content-type|mime-types|type-is|on-finished|encodeurl|etag|fresh)\//,
  ],
  ['Use case and controller', /\/dist\/src\//],
];
const REST = "Node's HTTP server and event loop";
const COLLECTION = 'Garbage collection';
const NATIVE = 'Native code and system calls';

/** The part of the main thread's time that each layer takes, the largest first. */
export function layersOf(profile: Profile): Map<string, number> {
  const parents = new Map<number, ProfileNode>();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node);
  const layers = new Map(profile.nodes.map((node) => [node.id, layerOf(node, parents)]));
  const spent = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    const layer = layers.get(id);
    if (!layer) continue;
    spent.set(layer, (spent.get(layer) ?? 0) + profile.timeDeltas[index]!);
    total += profile.timeDeltas[index]!;
  }
  return new Map([...spent].sort(([, a], [, b]) => b - a).map(([layer, time]) => [layer, time / total]));
}

/** The layer of the nearest caller that belongs to one; null while the process was idle or answered the probe. */
function layerOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string | null {
  const { functionName } = node.callFrame;
  if (functionName === '(idle)') return null;
  if (functionName === '(garbage collector)') return COLLECTION;
  if (functionName === '(program)') return NATIVE;
  for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
    const { url, functionName: name } = at.callFrame;
    if (url.endsWith('/probe.mjs')) return null;
    const layer = LAYERS.find(([, file, names]) => file.test(url) && (names?.test(name) ?? true));
    if (layer) return layer[0];
  }
  return REST;
}
