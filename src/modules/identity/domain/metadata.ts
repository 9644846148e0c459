import { InvalidRequest } from '../../../kernel/errors.js';

export type Metadata = Readonly<Record<string, unknown>>;

export const METADATA = { bytes: 4_096, levels: 5 } as const;

/** Members of `changes` that are null are removed. */
export function mergedMetadata(metadata: Metadata, changes: Metadata): Metadata {
  const members = new Map(Object.entries(metadata));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) members.delete(name);
    else members.set(name, value);
  }
  const merged = Object.fromEntries(members);
  const bytes = Buffer.byteLength(JSON.stringify(merged));
  if (bytes > METADATA.bytes) {
    const message = `must have at most ${METADATA.bytes} bytes as JSON, and would have ${bytes} bytes after the change`;
    throw new InvalidRequest([{ field: 'metadata', rule: 'too_large', message }]);
  }
  return merged;
}
