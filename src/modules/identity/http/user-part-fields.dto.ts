import { ApiProperty } from '@nestjs/swagger';
import { UserResponse } from './user.dto.js';

/** Documents the class as the elements of a field of GET user, which the module registers in `UserProfileParts`. */
export function PartOfUser(field: string): ClassDecorator {
  return (target) => ApiProperty({ type: [target] })(UserResponse.prototype, field);
}
