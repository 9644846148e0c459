/** Anything but what the method is specified to answer. */
export class NodeAnswerUnreadable extends Error {
  override readonly name = 'NodeAnswerUnreadable';
  constructor(what: string) {
    super(`The node answered something that is not ${what}.`);
  }
}

/** What went wrong with a node, in its own words: for logs only, and never to decide by. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown';
}
