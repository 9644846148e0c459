import { Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../kernel/jobs.js';
import type { Person } from '../../kernel/personal-data.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule } from '../identity/index.js';
import { ERASE_PERSON, ErasePerson } from './application/erase-person.js';
import { ExportPerson } from './application/export-person.js';
import { ErasureRepository } from './domain/erasure.js';
import { PrivacyController } from './http/privacy.controller.js';
import './infrastructure/personal-data.js';
import { PostgresErasureRepository } from './infrastructure/postgres-erasure.repository.js';

@Module({
  imports: [AppsModule, IdentityModule],
  controllers: [PrivacyController],
  providers: [{ provide: ErasureRepository, useClass: PostgresErasureRepository }, ErasePerson, ExportPerson],
})
export class PrivacyModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly erasing: ErasePerson,
  ) {}

  onModuleInit(): void {
    this.jobs.handle(ERASE_PERSON, (payload) => this.erasing.erase(payload as unknown as Person));
  }
}
