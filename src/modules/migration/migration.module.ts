import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/index.js';
import { IdentityModule } from '../identity/index.js';
import { ImportFiles } from './import-files.js';
import { ExportUsers } from './application/export-users.js';
import { ImportUsers } from './application/import-users.js';
import { MigrationController } from './http/migration.controller.js';

@Module({
  imports: [AppsModule, IdentityModule],
  controllers: [MigrationController],
  providers: [ExportUsers, ImportFiles, ImportUsers],
})
export class MigrationModule {
  /** Otherwise `users/export` would be read as the path of a user. */
  static readonly hasFirstRoutes = true;
}
