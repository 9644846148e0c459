import { type Facts, movesIn } from './facts.js';
import { BOUNDS } from './policy.js';
import { inJson } from './stored-rules.js';

/** The facts in JSON, for a decision. Where they are too large, the last moves are only counted. */
export function storedFacts(facts: Facts): string {
  const whole = inJson(facts);
  if (storedBytes(whole) <= BOUNDS.factBytes) return whole;
  const moves = movesIn(facts.moves);
  for (let shown = moves.length - 1; ; shown--) {
    const part = inJson({ ...facts, moves: moves.slice(0, shown), moreMoves: moves.length - shown });
    if (shown === 0 || storedBytes(part) <= BOUNDS.factBytes) return part;
  }
}

/** PostgreSQL writes a blank after each colon and comma. */
function storedBytes(json: string): number {
  return Buffer.byteLength(json) + (json.match(/[:,]/g)?.length ?? 0);
}
