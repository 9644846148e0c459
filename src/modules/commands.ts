import type { Commands } from '../services/cli/command.js';
import { IMPORT_COMMANDS } from './migration/commands.js';
import { NETWORK_COMMANDS } from './transfer/commands.js';

/** Their files load the modules only when a command runs: the list of all commands must not start slowly. */
export const COMMANDS_OF_MODULES: Commands = { ...IMPORT_COMMANDS, ...NETWORK_COMMANDS };
