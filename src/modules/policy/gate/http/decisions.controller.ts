import { Get, Query } from '@nestjs/common';
import { inBothScopes } from '../../../../edge/auth/both-scopes.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import type { AppId } from '../../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { DecisionRepository } from '../domain/decision.js';
import { DecisionListResponse, ListDecisionsQuery } from './decisions.dto.js';

/** The decisions of an app's policies. */
export const DecisionsControllers = inBothScopes(
  { path: 'v1/policies/decisions', tag: 'policies', resource: 'policies/decisions', scopes: 'policies:read' },
  ({ InScopes, Mounted, OfApp }) => {
    @Mounted()
    class DecisionsController {
      constructor(
        private readonly apps: AppsFacade,
        private readonly decisions: DecisionRepository,
      ) {}

      /**
       * List the decisions of policies
       *
       * @remarks Returns every decision with its rule and the facts that were judged, the newest first. Requests to which no policy applies are not
       * listed.
       */
      @InScopes('auditor')
      @Get()
      async list(@OfApp(AppNotFound) appId: AppId, @Query() query: ListDecisionsQuery): Promise<DecisionListResponse> {
        await this.apps.requireLive(appId);
        const { outcome, wallet_id: walletId } = query;
        return DecisionListResponse.of(await this.decisions.list(appId, pageIn(query), { outcome, walletId }));
      }
    }
    return DecisionsController;
  },
);
