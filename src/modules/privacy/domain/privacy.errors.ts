import { refusal } from '../../../kernel/domain-error.js';

export class ErasureNotFound extends refusal('not_found', 'erasure_not_found', {
  message: 'No erasure of this user was requested.',
  help: 'The user was not erased. A user who was only deleted can still be erased: `POST …/users/{user_id}/erase`.',
}) {}
