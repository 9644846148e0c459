import { Injectable } from '@nestjs/common';
import { LoginTicketRepository } from '../domain/login-ticket.repository.js';
import { OauthStateRepository } from '../domain/oauth-state.repository.js';

const BATCH = 1_000;

/** Deletes ended states and tickets in batches, so that no row lock is held for long. */
@Injectable()
export class RemoveEndedLogins {
  constructor(
    private readonly states: OauthStateRepository,
    private readonly tickets: LoginTicketRepository,
  ) {}

  async execute(): Promise<void> {
    while ((await this.tickets.removeEnded(BATCH)) > 0);
    while ((await this.states.removeEnded(BATCH)) > 0);
  }
}
