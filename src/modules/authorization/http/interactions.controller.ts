import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { EXAMPLES } from '../../../kernel/examples.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import { StepUpRequired, UserInactive, UserNotFound } from '../../identity/index.js';
import { AnswerInteraction } from '../application/answer-interaction.js';
import { InteractionNotFound } from '../domain/interaction.js';
import { ClientNotFound } from '../domain/oauth-client.js';
import {
  AcceptInteractionRequest,
  AnsweredInteractionResponse,
  InteractionResponse,
  RejectInteractionRequest,
} from './interaction.dto.js';

const InteractionId = (): ParameterDecorator => (target, key, index) => {
  Param('interaction')(target, key, index);
  const descriptor = Object.getOwnPropertyDescriptor(target, key as string) as PropertyDescriptor;
  ApiParam({
    name: 'interaction',
    description: 'The value of `interaction` in the URL of the login page.',
    schema: { type: 'string', maxLength: 64, example: EXAMPLES.interaction },
  })(target, key as string, descriptor);
};

@OperationGroup({
  name: 'oauth2 interactions',
  description: 'The requests of other programs for which the login page of the app signs a user in.',
  after: 'sessions',
})
@Controller('v1/oauth2/interactions')
export class InteractionsController {
  constructor(private readonly answer: AnswerInteraction) {}

  /**
   * Get an interaction
   *
   * @remarks A program has sent the user's browser to `login_url` of the app. Returns what the program asks for, until it is answered.
   */
  @Get(':interaction')
  @SecretKey()
  @Refuses(InteractionNotFound, ClientNotFound)
  async get(@App() app: AuthenticatedApp, @InteractionId() id: string): Promise<InteractionResponse> {
    return InteractionResponse.of(await this.answer.show(app.id, id));
  }

  /**
   * Accept an interaction
   *
   * @remarks Signs the user of the session in at the program, and grants the scopes. Send the browser to `redirect_url`. An interaction is
   * answered once. `step_up_required`: the request asks for a newer or a stronger sign-in than the session saw.
   */
  @Post(':interaction/accept')
  @HttpCode(200)
  @SecretKey()
  @Refuses(InteractionNotFound, ClientNotFound, InvalidSession, StepUpRequired, UserInactive, UserNotFound)
  async accept(
    @App() app: AuthenticatedApp,
    @InteractionId() id: string,
    @Body() body: AcceptInteractionRequest,
  ): Promise<AnsweredInteractionResponse> {
    return { redirect_url: await this.answer.accept(app.id, id, AcceptInteractionRequest.acceptanceOf(body)) };
  }

  /**
   * Reject an interaction
   *
   * @remarks Send the browser to `redirect_url`, which takes the error to the program.
   */
  @Post(':interaction/reject')
  @HttpCode(200)
  @SecretKey()
  @Refuses(InteractionNotFound)
  async reject(
    @App() app: AuthenticatedApp,
    @InteractionId() id: string,
    @Body() { error }: RejectInteractionRequest,
  ): Promise<AnsweredInteractionResponse> {
    return { redirect_url: await this.answer.reject(app.id, id, error) };
  }
}
