import type { MigrationInterface } from 'typeorm';
import { CreateEvents1763600000000 } from './1763600000000-create-events.js';
import { CreateIdempotencyKeys1763600000050 } from './1763600000050-create-idempotency-keys.js';
import { CreateMasterKeys1763600000100 } from './1763600000100-create-master-keys.js';
import { CreateJobs1763600000200 } from './1763600000200-create-jobs.js';
import { CreateApps1763600000300 } from './1763600000300-create-apps.js';
import { CreateIdentity1763600000400 } from './1763600000400-create-identity.js';
import { CreateSessions1763600000450 } from './1763600000450-create-sessions.js';
import { CreateOauth1763600000500 } from './1763600000500-create-oauth.js';
import { CreateWallets1763600000600 } from './1763600000600-create-wallets.js';
import { CreateLimits1763600000700 } from './1763600000700-create-limits.js';
import { AddMessagesToApps1763600000710 } from './1763600000710-add-messages-to-apps.js';
import { CreateTotps1763600000800 } from './1763600000800-create-totps.js';
import { CreateMagicLinks1763600000900 } from './1763600000900-create-magic-links.js';
import { CreateOtps1763600001000 } from './1763600001000-create-otps.js';
import { CreateTransfers1763600001100 } from './1763600001100-create-transfers.js';
import { AddAssetsToApps1763600001110 } from './1763600001110-add-assets-to-apps.js';
import { CreateWalletRegistrations1763600001200 } from './1763600001200-create-wallet-registrations.js';
import { AddSigningPolicyToApps1763600001300 } from './1763600001300-add-signing-policy-to-apps.js';
import { KeepBlocksOfTransfers1763600001400 } from './1763600001400-keep-blocks-of-transfers.js';
import { IndexDueTransfers1763600001500 } from './1763600001500-index-due-transfers.js';
import { CountSendsInOneWrite1763600001600 } from './1763600001600-count-sends-in-one-write.js';
import { RefuseInStatements1763600001700 } from './1763600001700-refuse-in-statements.js';
import { IndexUserSearches1763600001850 } from './1763600001850-index-user-searches.js';
import { IndexLiveSessionsOfUser1763600001860 } from './1763600001860-index-live-sessions-of-user.js';
import { RevokeSessionsInOneStatement1763600001870 } from './1763600001870-revoke-sessions-in-one-statement.js';
import { BoundSessionsEndedByLogins1763600001880 } from './1763600001880-bound-sessions-ended-by-logins.js';
import { RevokeSessionsInBatches1763600001890 } from './1763600001890-revoke-sessions-in-batches.js';
import { LowerCaseEmailDomains1763600001900 } from './1763600001900-lower-case-email-domains.js';
import { KeepProofsOfTransfers1763600002000 } from './1763600002000-keep-proofs-of-transfers.js';
import { KeepCancelRequests1763600002050 } from './1763600002050-keep-cancel-requests.js';
import { RankJobs1763600002100 } from './1763600002100-rank-jobs.js';

/** All migrations, oldest first. A released one is never changed. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  CreateEvents1763600000000,
  CreateIdempotencyKeys1763600000050,
  CreateMasterKeys1763600000100,
  CreateJobs1763600000200,
  CreateApps1763600000300,
  CreateIdentity1763600000400,
  CreateSessions1763600000450,
  CreateOauth1763600000500,
  CreateWallets1763600000600,
  CreateLimits1763600000700,
  AddMessagesToApps1763600000710,
  CreateTotps1763600000800,
  CreateMagicLinks1763600000900,
  CreateOtps1763600001000,
  CreateTransfers1763600001100,
  AddAssetsToApps1763600001110,
  CreateWalletRegistrations1763600001200,
  AddSigningPolicyToApps1763600001300,
  KeepBlocksOfTransfers1763600001400,
  IndexDueTransfers1763600001500,
  CountSendsInOneWrite1763600001600,
  RefuseInStatements1763600001700,
  IndexUserSearches1763600001850,
  IndexLiveSessionsOfUser1763600001860,
  RevokeSessionsInOneStatement1763600001870,
  BoundSessionsEndedByLogins1763600001880,
  RevokeSessionsInBatches1763600001890,
  LowerCaseEmailDomains1763600001900,
  KeepProofsOfTransfers1763600002000,
  KeepCancelRequests1763600002050,
  RankJobs1763600002100,
];
