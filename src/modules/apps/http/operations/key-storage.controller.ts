import { Controller, Get } from '@nestjs/common';
import { ManagementKey } from '../../../../edge/auth/credentials.js';
import { OperationGroup } from '../../../../edge/openapi/tags.js';
import { KeyStatus } from '../../../../services/crypto/key-status.js';
import { KeyStorageResponse } from './key-storage.dto.js';

@OperationGroup({
  name: 'management: key storage',
  description: 'The master keys or the key provider that protect all secrets.',
  after: 'management: transfers',
})
@Controller('management/v1/key_storage')
export class KeyStorageController {
  constructor(private readonly keys: KeyStatus) {}

  /**
   * Get the key storage of the service
   *
   * @remarks The replica that responds remembers the last call to each provider; one that is older than 10 s is repeated in the background,
   * as for `/readyz`. It keeps its view of the keys for 5 s. It counts the values in the background, at most once a minute and less often if
   * that takes long; the command `keys status` counts them at once.
   */
  @Get()
  @ManagementKey('auditor')
  get(): Promise<KeyStorageResponse> {
    return KeyStorageResponse.of(this.keys);
  }
}
