import type { Requester } from '../kernel/requester.js';

/** The actor that the audit log names for changes made from the command line. */
export const BY_CLI: Requester = { actor: 'cli', requestId: null, ip: null };
