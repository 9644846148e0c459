import type { RequestTrail } from '../kernel/request-trail.js';
import { AUDIT_TRAIL } from './audit/request-trail.js';
import { EVENTS_TRAIL } from './events/request-trail.js';
import { SESSION_TRAIL } from './session/request-trail.js';
import { TRANSFER_TRAIL } from './transfer/request-trail.js';
import { WEBHOOKS_TRAIL } from './webhooks/request-trail.js';

export const TRAILS_OF_MODULES: readonly RequestTrail[] = [
  ...AUDIT_TRAIL,
  EVENTS_TRAIL,
  SESSION_TRAIL,
  TRANSFER_TRAIL,
  WEBHOOKS_TRAIL,
];
