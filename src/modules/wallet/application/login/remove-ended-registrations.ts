import { Injectable } from '@nestjs/common';
import { RegistrationRepository } from '../../domain/login/registration.repository.js';
import { WalletImportRepository } from '../../domain/keys/wallet-import.js';

const BATCH = 1_000;

/** Deletes ended registrations and imports, in batches that are short enough not to block other requests. */
@Injectable()
export class RemoveEndedRegistrations {
  constructor(
    private readonly registrations: RegistrationRepository,
    private readonly imports: WalletImportRepository,
  ) {}

  async execute(): Promise<void> {
    while ((await this.registrations.removeEnded(BATCH)) > 0);
    while ((await this.imports.removeEnded(BATCH)) > 0);
  }
}
