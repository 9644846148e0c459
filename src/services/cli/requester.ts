import type { Requester } from '../../kernel/requester.js';
import { WrongUsage } from './arguments.js';
import type { Values } from './command.js';

export const BY_CLI: Requester = { actor: 'cli', requestId: null, ip: null };

export function orderIn({ reason }: Values) {
  if (typeof reason !== 'string' || reason.trim() === '') throw new WrongUsage('--reason is missing.');
  return { by: BY_CLI, reason: reason.slice(0, 500) };
}
