export { ChainModule } from './chain.module.js';
export { EndpointChecks } from './endpoint-checks.js';
