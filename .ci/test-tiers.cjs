/**
 * The end-to-end files that `npm test` runs, beside all unit files: it takes a few minutes. `npm run test:whole` runs all files,
 * before a change lands. A file of whole calls has the name of its module, such as `modules/otp/otp`, and needs no line here.
 */
const FIRST = [
  /^architecture\//,
  /^contract\//,
  /^journeys\//,
  /^modules\/([^/]+)\/\1\.e2e-spec/,
  /^modules\/(audit\/audit-log|chain\/managed-networks|events\/feed|identity\/(users|proof)|passkey\/settings|session\/step-up|wallet\/wallets\/wallet|webhooks\/endpoints)\./,
  // Money.
  /^modules\/policy\/budgets\/(budgets|payments)\./,
  /^modules\/transfer\/orders\/(deletion-races|simultaneous-confirmations)\./,
];

/** Of these folders a change also runs all test files (`npm test -- --changed`), because a fault there costs money. */
const WHOLE_WHEN_CHANGED = [
  'modules/chain',
  'modules/policy',
  'modules/transfer',
  'modules/wallet',
  'postgres',
  'services/crypto',
];

/** They read some hundred blocks of a real chain for each case. */
const isProof = (path) => /^modules\/chain\/.*-proofs\.spec/.test(path);
const isUnit = (path) => !path.endsWith('.e2e-spec.ts') && !isProof(path);
const isFirst = (path) => isUnit(path) || FIRST.some((pattern) => pattern.test(path));
/** The generated cases of these files are divided between `npm test` and the rest (`tenth` of test/support/sampled.ts). */
const isDivided = (path) =>
  /^(contract\/(audit|deleted-app|events|hostile-input|management-roles|prefilled|tenancy)|modules\/policy\/rules\/random-requests)\./.test(
    path,
  );

/** Whether a file of a project belongs to the tier: `first`, all that it leaves (`rest`), or both (`whole`). */
function isInTier(tier, path, project) {
  if (tier === 'whole') return true;
  const isInFirst = isFirst(path) && (project === 'unit' || project === 'e2e');
  return tier === 'first' ? isInFirst : !isInFirst || isDivided(path);
}

module.exports = { isInTier, WHOLE_WHEN_CHANGED };
