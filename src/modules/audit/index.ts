export { AuditModule } from './audit.module.js';

// What an operator does at the machine: no other module calls these.
export { AuditKeys } from './application/audit-keys.js';
export { ExportChains } from './application/export-chains.js';
export { headInLine, type ServiceHead } from './domain/service-head.js';
export { type Findings } from './application/verification.js';
export { VerifyChains } from './application/verify-chains.js';
export { verifyExport } from './application/verify-export.js';
