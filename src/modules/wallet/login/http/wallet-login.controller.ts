import { Body, Controller, Delete, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { requireAllWalletsWithin, requireUserWithin } from '../../../../kernel/key-restriction.js';
import type { UserId, WalletId } from '../../../../kernel/ids.js';
import { type AuthenticatedApp, bindingOf } from '../../../../edge/http/authenticated-request.js';
import { NetworkNotEnabled } from '../../../../kernel/chain/chain.errors.js';
import { App, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { SafeToRepeat, SignsIn } from '../../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import {
  CallerSessions,
  LastWayToSignIn,
  RemovalQuery,
  RemovalRequest,
  removerOf,
  StepUpRequired,
  UserNotFound,
} from '../../../identity/index.js';
import { InvalidSession, SessionArgumentsRequest, SigningKeyUnavailable } from '../../../session/index.js';
import { type AskedRegistration, BeginRegistration } from '../application/begin-registration.js';
import { VerifyWallet } from '../application/verify-wallet.js';
import { ManageWallets } from '../../wallets/application/manage-wallets.js';
import { InvalidPublicAddress, InvalidSiweChallenge } from '../domain/registration.js';
import { WalletIsManaged, WalletNotFound } from '../../wallets/domain/wallet.errors.js';
import {
  BeginRegistrationRequest,
  ChallengeResponse,
  NonceResponse,
  VerifiedWalletResponse,
  VerifySiweRequest,
  VerifyWalletRequest,
  WALLET_FIELDS,
  WalletDeletionResponse,
} from './wallet-login.dto.js';
import { secondExampleId } from '../../../../kernel/examples.js';
import { RefusedAsPrefilled } from '../../../../edge/openapi/examples.js';

@ApiTags('wallet login')
@Controller('v1/auth')
export class WalletLoginController {
  constructor(
    private readonly begin: BeginRegistration,
    private readonly verifyWallet: VerifyWallet,
    readonly manage: ManageWallets,
    private readonly sessions: CallerSessions,
  ) {}

  /**
   * Begin a wallet registration
   *
   * @remarks Returns a challenge for the wallet to sign, to log in with it or to attach it
   * to a user. It is valid for ten minutes and once. It gives no rights before the signature is verified. Beyond 32 open challenges
   * of an address the newest is returned again.
   */
  @Post('wallets/registrations/begin')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(BeginRegistration)
  async challenge(@App() app: AuthenticatedApp, @Body() body: BeginRegistrationRequest): Promise<ChallengeResponse> {
    requireOwnWallet(app, body.user_id);
    return ChallengeResponse.with(await this.begin.execute(app.id, 'challenge', askedIn(body, app)));
  }

  /**
   * Begin a wallet registration by a sign-in text
   *
   * @remarks Returns a nonce for a text of EIP-4361 or Sign-In With Solana that the wallet signs. It is valid for ten
   * minutes and once.
   */
  @Post('wallets/registrations/nonce')
  @HttpCode(200)
  @SafeToRepeat()
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(BeginRegistration)
  async nonce(@App() app: AuthenticatedApp, @Body() body: BeginRegistrationRequest): Promise<NonceResponse> {
    requireOwnWallet(app, body.user_id);
    return NonceResponse.with(await this.begin.execute(app.id, 'nonce', askedIn(body, app)));
  }

  /**
   * Verify a signed challenge
   *
   * @remarks Exchanges the signature for the wallet, read-only, and if asked a session. Without `id` it may be for any open challenge of
   * the address to sign in, or to attach the wallet to the user of the session. Send `id` for a contract's signature, which is checked by
   * calls of the chain.
   */
  @Post('wallets/verify')
  @RefusedAsPrefilled('The signature answers a challenge that is valid once.')
  @HttpCode(200)
  @SignsIn(WALLET_FIELDS)
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(VerifyWallet, InvalidPublicAddress)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyWalletRequest): Promise<VerifiedWalletResponse> {
    requireAllWalletsWithin(bindingOf(app));
    const asked = SessionArgumentsRequest.argumentsOf(body, app);
    const claimed = VerifyWalletRequest.claimed(body);
    return VerifiedWalletResponse.verified(await this.verifyWallet.challenge(app.id, claimed, body.signature, asked));
  }

  /**
   * Verify a signed sign-in text
   *
   * @remarks Like the verification of a challenge. The domain must be the host of one of the app's `allowed_origins`, and the
   * chain of a text for Ethereum must be that of a network that the app may use.
   */
  @Post('wallets/siwe/verify')
  @RefusedAsPrefilled('The signature answers a nonce that is valid once.')
  @HttpCode(200)
  @SignsIn(WALLET_FIELDS)
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Beta()
  @Refuses(VerifyWallet, InvalidSiweChallenge, NetworkNotEnabled)
  async verifySiwe(@App() app: AuthenticatedApp, @Body() body: VerifySiweRequest): Promise<VerifiedWalletResponse> {
    requireAllWalletsWithin(bindingOf(app));
    const asked = SessionArgumentsRequest.argumentsOf(body, app);
    const claimed = VerifySiweRequest.claimed(body);
    const { siwe_challenge: text, signature } = body;
    return VerifiedWalletResponse.verified(
      await this.verifyWallet.signInText(app, claimed, { text, signature }, asked),
    );
  }

  /**
   * Delete a wallet
   *
   * @remarks Removes a read-only wallet from its user, unless it is the user's last sign-in method.
   * Other wallets cannot be deleted. If the call carries a session, it must be fresh.
   */
  @Delete('users/wallets/:wallet_id/delete')
  @SecretKey({ scopes: 'users:write', keepsBinding: true })
  @Refuses(WalletIsManaged, UserNotFound, LastWayToSignIn)
  @Refuses(StepUpRequired, InvalidSession, SigningKeyUnavailable)
  @ApiBody({ type: RemovalRequest, required: false })
  async delete(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound, { example: secondExampleId('wallet') }) walletId: WalletId,
    @Query() query: RemovalQuery,
    @Body() body: RemovalRequest,
  ): Promise<WalletDeletionResponse> {
    const userId = await this.manage.delete(app.id, walletId, await removerOf(this.sessions, app, query, body));
    return { user_id: userId, message: 'The wallet was deleted.' };
  }
}

function askedIn(
  { wallet_type, public_address, user_id }: BeginRegistrationRequest,
  app: AuthenticatedApp,
): AskedRegistration {
  const isBound = bindingOf(app) !== null;
  return { walletType: wallet_type, publicAddress: public_address, userId: user_id, isBound };
}

/** The wallet is for the user of a bound key only. Without a named user the call would sign in or create another one. */
function requireOwnWallet(app: AuthenticatedApp, userId: UserId | undefined): void {
  const binding = bindingOf(app);
  requireAllWalletsWithin(binding);
  if (userId === undefined) requireUserWithin(binding, userId);
}
