/** Each role may do everything that a later one may. */
export const MANAGEMENT_ROLES = ['owner', 'operator', 'support', 'auditor'] as const;
export type ManagementRole = (typeof MANAGEMENT_ROLES)[number];

export function rolesFor(needed: ManagementRole): readonly ManagementRole[] {
  return MANAGEMENT_ROLES.slice(0, MANAGEMENT_ROLES.indexOf(needed) + 1);
}
