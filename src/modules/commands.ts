import type { Commands } from '../services/cli/command.js';
import { AUDIT_COMMANDS } from './audit/commands.js';
import { CHAIN_COMMANDS } from './chain/commands.js';
import { IMPORT_COMMANDS } from './migration/commands.js';
import { NETWORK_COMMANDS } from './transfer/commands.js';

/** Their files load the modules only when a command runs: the list of all commands must not start slowly. */
export const COMMANDS_OF_MODULES: Commands = {
  ...AUDIT_COMMANDS,
  ...CHAIN_COMMANDS,
  ...NETWORK_COMMANDS,
  ...IMPORT_COMMANDS,
};
