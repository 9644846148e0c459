import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { AddressKind } from '../domain/address.js';
import { CONTACT_ERRORS, type ContactId } from '../domain/contact.js';
import { ContactRepository } from '../domain/contact.repository.js';
import { RemoveSignInMethod } from './remove-sign-in-method.js';

@Injectable()
export class DeleteContact {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly removal: RemoveSignInMethod,
  ) {}

  /** Removes the address from its user and returns the user. Throws `LastWayToSignIn` for the last sign-in method. */
  async execute(appId: AppId, kind: AddressKind, id: ContactId): Promise<UserId> {
    const { NotFound } = CONTACT_ERRORS[kind];
    const contact = await this.contacts.findById(appId, kind, id);
    if (!contact) throw new NotFound();
    await this.removal.execute(appId, contact.userId, { type: kind, id }, async () => {
      if (!(await this.contacts.detach(appId, contact))) throw new NotFound();
    });
    return contact.userId;
  }
}
