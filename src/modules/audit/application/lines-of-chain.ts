import { NO_LINK } from '../domain/chain-link.js';
import type { ChainReader } from '../domain/chain-reader.js';
import type { ExportLine } from '../domain/export-line.js';

/** Where the chain goes on, then its links, each followed by its checkpoints, then checkpoints of links that are missing. */
export async function* linesOf(reader: ChainReader, appId: string, after: number): AsyncGenerator<ExportLine> {
  const hash = after === 0 ? NO_LINK : await reader.hashAt(appId, after);
  if (!hash) throw new Error(`The chain has no entry ${after}.`);
  yield { type: 'chain', appId, after, hash };
  const checkpoints = reader.checkpoints(appId, after === 0 ? 0 : after + 1);
  let next = await checkpoints.next();
  const upTo = async function* (number: number): AsyncGenerator<ExportLine> {
    for (; !next.done && next.value.number <= number; next = await checkpoints.next())
      yield { type: 'checkpoint', checkpoint: next.value };
  };
  yield* upTo(after);
  for await (const link of reader.links(appId, after)) {
    yield { type: 'entry', link };
    yield* upTo(link.number);
  }
  yield* upTo(Infinity);
}
