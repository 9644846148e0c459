import { acceptances } from './acceptances.js';
import { agents } from './agents.js';
import { approvals } from './approvals.js';
import { apps } from './apps.js';
import { authorisations } from './authorisations.js';
import { batches } from './batches.js';
import { budgets } from './budgets.js';
import { contracts } from './contracts.js';
import { elsewhere } from './elsewhere.js';
import { exports } from './exports.js';
import { imports } from './imports.js';
import { max } from './max.js';
import { moves } from './moves.js';
import { policies } from './policies.js';
import { rotations } from './rotations.js';
import { tokens } from './tokens.js';
import { users } from './users.js';

/**
 * Troubles of the service's surroundings: what apps, operators, the holders of keys and other chains do. Each is made anew for a
 * run.
 */
export const SURROUNDINGS = [
  elsewhere,
  authorisations,
  tokens,
  contracts,
  apps,
  moves,
  users,
  policies,
  rotations,
  imports,
  exports,
  budgets,
  agents,
  approvals,
  batches,
  max,
  acceptances,
] as const;
