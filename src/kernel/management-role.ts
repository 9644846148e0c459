/** The roles of management keys. Each may do everything that a later one may. */
export const MANAGEMENT_ROLES = ['owner', 'operator', 'auditor'] as const;
export type ManagementRole = (typeof MANAGEMENT_ROLES)[number];

/** Whether a key with the role `held` may make a call that needs the role `needed`. */
export function mayActAs(held: ManagementRole, needed: ManagementRole): boolean {
  return MANAGEMENT_ROLES.indexOf(held) <= MANAGEMENT_ROLES.indexOf(needed);
}
