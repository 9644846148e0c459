import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { inBothScopes } from '../../../../edge/auth/both-scopes.js';
import type { RestrictedCaller } from '../../../../edge/http/authenticated-request.js';
import { RequestedBy, RestrictedKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { RefusedAsPrefilled } from '../../../../edge/openapi/examples.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ChangesNothing, SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import type { AppId, ApprovalId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { UserInactive } from '../../../identity/index.js';
import { BegunPasskeySignInResponse, InvalidPasskey, PasskeysNotConfigured } from '../../../passkey/index.js';
import { Approvals } from '../application/approvals.js';
import { VoteOnApproval } from '../application/vote.js';
import { ApprovalRepository } from '../domain/approval.js';
import {
  AlreadyVoted,
  ApprovalEnded,
  ApprovalNotFound,
  NotAnApprover,
  PasskeyMayNotVote,
  VoteNotCarried,
} from '../domain/approval.errors.js';
import {
  ApprovalListResponse,
  ApprovalResponse,
  BeginVoteRequest,
  ListApprovalsQuery,
  VoteRequest,
} from './approval.dto.js';

const REFUSALS_OF_BEGIN = [ApprovalNotFound, ApprovalEnded, NotAnApprover, AlreadyVoted, PasskeysNotConfigured];
const REFUSALS_OF_VOTES = [...REFUSALS_OF_BEGIN, InvalidPasskey, PasskeyMayNotVote, VoteNotCarried, UserInactive];
/** The most approvals that a list ends before it is read. The rest is ended in the background. */
const FEW = 100;
const AS_PREFILLED = 'The policy of the demo app is a draft, so its approval is void.';

/** Approvals. Operators and the app itself read them, and carry the votes of approvers. */
export const ApprovalsControllers = inBothScopes(
  {
    path: 'v1/approvals',
    tag: 'approvals',
    resource: 'approvals',
    scopes: ['policies:read', 'approvals:vote'],
  },
  ({ InScopes, Mounted, OfApp }) => {
    @Mounted()
    class ApprovalsController {
      constructor(
        private readonly apps: AppsFacade,
        private readonly stored: ApprovalRepository,
        private readonly approvals: Approvals,
        private readonly vote: VoteOnApproval,
      ) {}

      /**
       * List the approvals of an app
       *
       * @remarks Returns the approvals, the newest first. `state=waiting` lists those that need votes.
       */
      @InScopes('auditor')
      @Get()
      async list(@OfApp(AppNotFound) appId: AppId, @Query() query: ListApprovalsQuery): Promise<ApprovalListResponse> {
        await this.apps.requireLive(appId);
        await this.approvals.endDueOf(appId, FEW, 0);
        return ApprovalListResponse.of(await this.stored.list(appId, pageIn(query), query.state));
      }

      /** Get an approval */
      @InScopes('auditor', { keepsBinding: true })
      @Get(':appr_id')
      async get(
        @OfApp(AppNotFound) appId: AppId,
        @PathId('appr_id', 'approval', ApprovalNotFound) id: ApprovalId,
      ): Promise<ApprovalResponse> {
        await this.apps.requireLive(appId);
        return ApprovalResponse.of(await this.approvals.get(appId, id));
      }

      /**
       * Begin a vote
       *
       * @remarks Returns the options with which a passkey of the approver signs the vote. The challenge follows from the payload, the version of the
       * policy, the approver and the decision, so the signature is a vote for nothing else.
       */
      @InScopes('operator', { scopes: 'approvals:vote' })
      @Post(':appr_id/begin')
      @RefusedAsPrefilled(AS_PREFILLED)
      @HttpCode(200)
      @ChangesNothing()
      @Refuses(...REFUSALS_OF_BEGIN)
      async begin(
        @OfApp(AppNotFound) appId: AppId,
        @PathId('appr_id', 'approval', ApprovalNotFound) id: ApprovalId,
        @Body() { user_id: userId, decision }: BeginVoteRequest,
      ): Promise<BegunPasskeySignInResponse> {
        await this.apps.requireLive(appId);
        return BegunPasskeySignInResponse.of(userId, await this.vote.begin(appId, id, userId, decision));
      }

      /**
       * Approve a request
       *
       * @remarks Counts the approver's vote. With as many votes as `needed` a transfer is paid, and any other call may be repeated with
       * `approval_id`.
       */
      @InScopes('operator', { scopes: 'approvals:vote' })
      @Post(':appr_id/approve')
      @RefusedAsPrefilled(AS_PREFILLED)
      @HttpCode(200)
      @SafeToRepeat()
      @Refuses(...REFUSALS_OF_VOTES)
      approve(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @PathId('appr_id', 'approval', ApprovalNotFound) id: ApprovalId,
        @RestrictedKey() key: RestrictedCaller | null,
        @Body() body: VoteRequest,
      ): Promise<ApprovalResponse> {
        assertCarriesVotes(key);
        return this.voted(by, appId, id, body, 'approve');
      }

      /**
       * Reject a request
       *
       * @remarks One rejection ends the approval. The transfer that waits for it is `rejected`, as soon as it is proven that nothing was paid.
       */
      @InScopes('operator', { scopes: 'approvals:vote' })
      @Post(':appr_id/reject')
      @RefusedAsPrefilled(AS_PREFILLED)
      @HttpCode(200)
      @SafeToRepeat()
      @Refuses(...REFUSALS_OF_VOTES)
      reject(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @PathId('appr_id', 'approval', ApprovalNotFound) id: ApprovalId,
        @RestrictedKey() key: RestrictedCaller | null,
        @Body() body: VoteRequest,
      ): Promise<ApprovalResponse> {
        assertCarriesVotes(key);
        return this.voted(by, appId, id, body, 'reject');
      }

      private async voted(
        by: Requester,
        appId: AppId,
        id: ApprovalId,
        { user_id: userId, public_key_credential: credential }: VoteRequest,
        decision: 'approve' | 'reject',
      ): Promise<ApprovalResponse> {
        await this.apps.requireLive(appId);
        return ApprovalResponse.of(await this.vote.execute(by, appId, id, { userId, decision, credential }));
      }
    }
    return ApprovalsController;
  },
);

/** A key that logs users in could enrol a passkey for an approver, and then approve its own requests. */
function assertCarriesVotes(key: RestrictedCaller | null): void {
  if (key?.scopes.includes('login:write')) throw new VoteNotCarried();
}
