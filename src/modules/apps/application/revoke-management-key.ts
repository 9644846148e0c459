import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import { KeyNotFound } from '../domain/apps.errors.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';

/** Ends a key of the management API on every replica within a second. */
@Injectable()
export class RevokeManagementKey {
  constructor(private readonly keys: ManagementKeyRepository) {}

  async execute(id: KeyId): Promise<void> {
    if (!(await this.keys.revoke(id))) throw new KeyNotFound();
  }
}
