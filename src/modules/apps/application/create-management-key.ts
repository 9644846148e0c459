import { Injectable } from '@nestjs/common';
import { type KeyId, newId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { PURPOSES } from '../domain/api-key.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';

/** Creates a key of the management API and returns its text, which is shown only once. */
@Injectable()
export class CreateManagementKey {
  constructor(
    private readonly keys: ManagementKeyRepository,
    private readonly tokens: SecretTokens,
  ) {}

  async execute(name: string): Promise<{ id: KeyId; key: string }> {
    const id = newId('key');
    const key = `mk_${this.tokens.mint()}`;
    await this.keys.insert({ id, name, hash: this.tokens.hash(PURPOSES.management, key) });
    return { id, key };
  }
}
