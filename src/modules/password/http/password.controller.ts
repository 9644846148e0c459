import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { SignsIn } from '../../../edge/idempotency/post-routes.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import { VerifyPassword } from '../application/verify-password.js';
import { VerifiedPasswordResponse, VerifyPasswordRequest } from './password.dto.js';

@OperationGroup({
  name: 'passwords',
  description: 'Login by a password that was imported from a former vendor, for a while.',
  after: 'totps',
})
@Controller('v1/auth/passwords')
export class PasswordController {
  constructor(private readonly verifyPassword: VerifyPassword) {}

  /**
   * Verify an imported password
   *
   * @remarks Signs in a user whose password hash was imported, until the app's `password_login_until`. It verifies no address; a user without a
   * verified sign-in method is refused after the right password. Wrong tries count like those of passcodes. No call sets a password.
   */
  @Post('verify')
  @HttpCode(200)
  @SignsIn()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(VerifyPassword)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyPasswordRequest): Promise<VerifiedPasswordResponse> {
    const named = VerifyPasswordRequest.namedUser(body);
    const sessionArguments = SessionArgumentsRequest.argumentsOf(body, app);
    return VerifiedPasswordResponse.of(
      await this.verifyPassword.execute(app.id, named, body.password, sessionArguments),
    );
  }
}
