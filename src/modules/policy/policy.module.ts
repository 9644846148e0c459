import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/index.js';

/** Policies: which uses of wallets' keys are allowed, up to which budget, and with whose approval. */
@Module({ imports: [AppsModule] })
export class PolicyModule {}
