import { InvalidRequest } from '../../../kernel/errors.js';

/** The data of the app about a user: a JSON object that the service does not read. */
export type Metadata = Readonly<Record<string, unknown>>;

/** The bounds of the metadata of a user. */
export const METADATA = { bytes: 4_096, levels: 5 } as const;

/** Sets the members of `changes`, and removes those that are null there. Throws `InvalidRequest` if the result is too large. */
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
