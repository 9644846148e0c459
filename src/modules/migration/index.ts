export { MigrationModule } from './migration.module.js';
