import { appendFileSync } from 'node:fs';
import type { Answer } from './app.js';

/** Where the gate gathers the refusals that its tests see, to name those of the API document that none does. */
const { SEEN_REFUSALS: FILE } = process.env;

const seen = new Set<string>();

export function noteRefusal(operationId: string, { status, body }: Answer): void {
  if (!FILE || status < 400) return;
  const refusal = `${operationId} ${String(Object(body).error_type)}\n`;
  if (!seen.has(refusal)) appendFileSync(FILE, refusal);
  seen.add(refusal);
}
