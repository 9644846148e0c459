import { Module } from '@nestjs/common';
import { Config } from '../../services/config/config.js';
import { AppsModule } from '../apps/index.js';
import { Gate } from './application/gate.js';
import { SigningStates } from './application/signing-states.js';
import { DecisionRepository } from './domain/decision.js';
import { GateSettings } from './domain/gate-settings.js';
import { SigningStateRepository } from './domain/signing-state.js';
import { SpendRepository } from './domain/spend.repository.js';
import { PostgresDecisionRepository } from './infrastructure/postgres-decision.repository.js';
import { PostgresSigningStateRepository } from './infrastructure/postgres-signing-state.repository.js';
import { PostgresSpendRepository } from './infrastructure/postgres-spend.repository.js';

/** Policies: which uses of wallets' keys are allowed, up to which budget, and with whose approval. */
@Module({
  imports: [AppsModule],
  providers: [
    Gate,
    SigningStates,
    { provide: SigningStateRepository, useClass: PostgresSigningStateRepository },
    { provide: SpendRepository, useClass: PostgresSpendRepository },
    { provide: DecisionRepository, useClass: PostgresDecisionRepository },
    { provide: GateSettings, useExisting: Config },
  ],
  exports: [Gate],
})
export class PolicyModule {}
