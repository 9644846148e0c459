import { Injectable } from '@nestjs/common';
import { NO_LINK } from '../domain/chain-link.js';
import { ChainReader } from '../domain/chain-reader.js';
import { type ExportLine, writeLine } from '../domain/export-line.js';

/** Checkpoints follow their link or cut; those of missing links come last. Checkpoints of the link `after` are left out. */
export async function* linesOf(reader: ChainReader, appId: string, after: number): AsyncGenerator<ExportLine> {
  const hash = after === 0 ? NO_LINK : await reader.hashAt(appId, after);
  if (!hash) throw new Error(`The chain has no entry ${after}.`);
  yield { type: 'chain', appId, after, hash };
  const checkpoints = reader.checkpoints(appId, after === 0 ? 0 : after + 1);
  const cuts = reader.cuts(appId, after);
  let checkpoint = await checkpoints.next();
  let cut = await cuts.next();
  const signedUpTo = async function* (number: number): AsyncGenerator<ExportLine> {
    for (; !checkpoint.done && checkpoint.value.number <= number; checkpoint = await checkpoints.next())
      yield { type: 'checkpoint', checkpoint: checkpoint.value };
  };
  const cutBefore = async function* (number: number): AsyncGenerator<ExportLine> {
    for (; !cut.done && cut.value.first <= number; cut = await cuts.next()) {
      yield { type: 'cut', cut: cut.value };
      yield* signedUpTo(cut.value.last);
    }
  };
  yield* signedUpTo(after);
  for await (const link of reader.links(appId, after)) {
    yield* cutBefore(link.number);
    yield { type: 'entry', link };
    yield* signedUpTo(link.number);
  }
  yield* cutBefore(Infinity);
  yield* signedUpTo(Infinity);
}

@Injectable()
export class ExportChains {
  constructor(private readonly reader: ChainReader) {}

  /** `appId`: null for all chains, empty for the chain of no app. */
  async *execute(appId: string | null, after: number): AsyncGenerator<string> {
    for await (const chain of appId === null ? this.reader.chains() : [appId])
      for await (const line of linesOf(this.reader, chain, after)) yield writeLine(line);
  }
}
