import type { KeyObject } from 'node:crypto';
import { BrokenLink, ChainCheck } from '../domain/chain-check.js';
import { isSignedBy, type IsSigned } from '../domain/checkpoint.js';
import { type ExportLine, readLine } from '../domain/export-line.js';
import { type Findings, Verification } from './verification.js';

/**
 * Checks an export, or several that follow one another, without the service. A chain that begins after its first entry is checked
 * from there on. Entries after the last checkpoint are counted as `unsigned`: only the key of the links could prove them.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  publicKeys: readonly KeyObject[],
  progress: (line: string) => void,
): Promise<Findings> {
  const isSigned: IsSigned = (message, by) => publicKeys.some((key) => isSignedBy(message, by, key));
  const verification = new Verification(progress);
  const checks = new Map<string, ChainCheck>();
  const broken = new Set<string>();
  let appId: string | null = null;
  let place = 0;
  for await (const text of lines) {
    place++;
    if (text === '') continue;
    try {
      const line = lineIn(text, place);
      if (line.type === 'chain') appId = line.appId;
      if (appId === null) throw new BrokenLink(0, `Line ${place} comes before the first chain.`);
      if (broken.has(appId)) continue;
      let check = checks.get(appId);
      if (!check) {
        check = new ChainCheck(appId, { isSigned, isKeyed: null, head: null });
        checks.set(appId, check);
        if (line.type === 'chain' && line.after > 0) check.resumeAfter(line.after, line.hash);
      }
      carryOut(check, line);
      if (line.type === 'entry') verification.advance(appId, check);
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
      broken.add(appId ?? '');
      verification.fault({ appId: appId ?? '', number: error.number, difference: error.difference });
    }
  }
  for (const check of checks.values()) verification.count(check);
  return verification.findings;
}

function carryOut(check: ChainCheck, line: ExportLine): void {
  if (line.type === 'entry') check.link(line.link);
  else if (line.type === 'cut') check.removed(line.cut);
  else if (line.type === 'checkpoint') check.checkpoint(line.checkpoint);
  else if (!check.isAt(line.after, line.hash))
    throw new BrokenLink(line.after, 'The export goes on at another entry than the one before it ended at.');
}

function lineIn(text: string, place: number): ExportLine {
  try {
    return readLine(text);
  } catch (error) {
    throw new BrokenLink(0, `Line ${place} is no line of an export: ${(error as Error).message}`);
  }
}
