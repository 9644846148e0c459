export { AuditModule } from './audit.module.js';

// The operator's commands on the machine use these; no other module calls them.
export { AuditKeys } from './application/audit-keys.js';
export { ExportChains } from './application/export-chains.js';
export { headInLine, type ServiceHead } from './domain/service-head.js';
export { type Findings, VerifyChains, verifyExport } from './application/verify-chains.js';
