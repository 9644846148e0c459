import type { Requester } from '../../kernel/requester.js';
import { WrongUsage } from './arguments.js';
import type { Values } from './command.js';

/** The actor that the audit log names for changes made from the command line. */
export const BY_CLI: Requester = { actor: 'cli', requestId: null, ip: null };

/** An operator's decision, with the reason for the audit log. */
export function orderIn({ reason }: Values) {
  if (typeof reason !== 'string' || reason.trim() === '') throw new WrongUsage('--reason is missing.');
  return { by: BY_CLI, reason: reason.slice(0, 500) };
}
