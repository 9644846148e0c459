import { type Facts, movesIn } from './facts.js';
import { BOUNDS } from './policy.js';
import { inJson } from './stored-rules.js';

/** If the facts are too large, the last moves are only counted. */
export function storedFacts(facts: Facts): string {
  const whole = inJson(facts);
  if (storedBytes(whole) <= BOUNDS.factBytes) return whole;
  const moves = movesIn(facts.moves);
  const part = (shown: number): string =>
    inJson({ ...facts, moves: moves.slice(0, shown), moreMoves: moves.length - shown });
  let room = BOUNDS.factBytes - storedBytes(part(0));
  return part(moves.findIndex((move) => (room -= storedBytes(inJson(move)) + SEPARATOR_BYTES) < 0));
}

const SEPARATOR_BYTES = 2;

/** PostgreSQL writes a blank after each colon and comma. */
function storedBytes(json: string): number {
  return Buffer.byteLength(json) + (json.match(/[:,]/g)?.length ?? 0);
}
