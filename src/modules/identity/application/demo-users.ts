import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { evolve } from '../../../kernel/entity.js';
import { exampleId, EXAMPLES, secondExampleId } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { DemoData } from '../../apps/index.js';
import { emailAddress, phoneAddress } from '../domain/address.js';
import { Contact } from '../domain/contact.js';
import { ContactRepository } from '../domain/contact.repository.js';
import { UserCreated } from '../domain/user.events.js';
import { User } from '../domain/user.js';
import { UserRepository } from '../domain/user.repository.js';

/** The users of the demo app. The second one has an email only. */
@Injectable()
export class DemoUsers implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly users: UserRepository,
    private readonly contacts: ContactRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private async add(appId: AppId): Promise<void> {
    const now = this.clock.now();
    const name = { firstName: EXAMPLES.firstName, lastName: EXAMPLES.lastName };
    const choices = { status: 'active', walletType: 'none' } as const;
    const ada = evolve<User>(User.create(appId, { ...name, ...choices }, now), { id: exampleId('user') });
    const email = evolve<Contact>(Contact.attach(emailAddress(EXAMPLES.email), ada, now), { id: exampleId('email') });
    await this.users.add(appId, ada, email.verify(now));
    const phoneNumber = Contact.attach(phoneAddress(EXAMPLES.phoneNumber), ada, now);
    await this.contacts.attach(appId, evolve<Contact>(phoneNumber, { id: exampleId('phoneNumber') }));
    await this.events.publish(
      Object.assign(new UserCreated(appId, ada.id, ada.walletType), { id: exampleId('event') }),
    );

    const alan = evolve<User>(User.create(appId, { firstName: 'Alan', lastName: 'Turing', ...choices }, now), {
      id: secondExampleId('user'),
    });
    await this.users.add(appId, alan, Contact.attach(emailAddress('alan@example.com'), alan, now));
    await this.events.publish(new UserCreated(appId, alan.id, alan.walletType));
  }
}
