import { ApiProperty } from '@nestjs/swagger';
import { ManagedUserResponse } from './managed-user.dto.js';
import { UserResponse } from './user.dto.js';

/** Documents the class as the elements of a field of GET user, which the module registers in `UserProfileParts`. */
export function PartOfUser(field: string): ClassDecorator {
  return (target) => ApiProperty({ type: [target] })(UserResponse.prototype, field);
}

/** Documents the class as the elements of a field that the management API adds to a user. */
export function PartOfManagedUser(field: string, description: string): ClassDecorator {
  return (target) => void ManagedUserResponse.parts.set(field, { type: () => [target], description });
}
