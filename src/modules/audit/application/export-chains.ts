import { Injectable } from '@nestjs/common';
import { ChainReader } from '../domain/chain-reader.js';
import { writeLine } from '../domain/export-line.js';
import { linesOf } from './lines-of-chain.js';

/** Writes chains as JSON Lines, page by page. */
@Injectable()
export class ExportChains {
  constructor(private readonly reader: ChainReader) {}

  /** Writes all chains, or the chain of one app after a number; empty text stands for the chain of no app. */
  async *execute(appId: string | null, after: number): AsyncGenerator<string> {
    for await (const chain of appId === null ? this.reader.chains() : [appId])
      for await (const line of linesOf(this.reader, chain, after)) yield writeLine(line);
  }
}
