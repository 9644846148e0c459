import { Injectable } from '@nestjs/common';
import { epochSeconds } from '../../../kernel/clock.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';
import type { AppId } from '../../../kernel/ids.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { FactorTypes } from '../domain/factor.js';
import { SessionMismatch, SigningKeyUnavailable } from '../domain/session.errors.js';
import {
  type LiveSession,
  type RequiredProofs,
  type SessionProof,
  type SessionReference,
  SessionRepository,
} from '../domain/session.js';
import { type IssuedSession, type SessionSecret, SessionSecrets } from './session-secrets.js';
import { SigningKeys } from './signing-keys.js';

const ACTIVITY_MS = 60_000;

export interface SessionVerification {
  readonly minutes?: number | undefined;
  readonly required?: RequiredProofs | undefined;
  readonly binding: KeyBinding | null;
}

/** Finds a live session by its token or JWT and extends it on request. One statement; a second one once a minute. */
@Injectable()
export class VerifySession {
  static readonly refusals = [InvalidSession, SessionMismatch, SigningKeyUnavailable, StepUpRequired];

  constructor(
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly keys: SigningKeys,
    private readonly factorTypes: FactorTypes,
  ) {}

  async execute(
    appId: AppId,
    secrets: readonly [SessionSecret, ...SessionSecret[]],
    { minutes, required, binding }: SessionVerification,
  ): Promise<IssuedSession> {
    const keys = await this.keys.of(appId);
    const [secret] = secrets;
    const proofs = await Promise.all(secrets.map((each) => this.secrets.read(appId, each)));
    const proof = proofs[0]!;
    if (proofs.length > 1) await assertOneSession(this.sessions, appId, proofs);
    await assertWithin(this.sessions, appId, proofs, binding);
    const permit = (session: LiveSession): void => required && this.requireProofs(session, required);
    const session =
      minutes === undefined
        ? await this.sessions.find(appId, proof)
        : await this.sessions.extend(appId, proof, minutes, permit);
    if (!session) throw new InvalidSession();
    permit(session);
    const token = 'token' in secret ? secret.token : '';
    if (session.asOf.getTime() - session.lastActiveAt.getTime() < ACTIVITY_MS)
      return this.secrets.issue(keys, session, token);
    await this.sessions.touch(appId, session.id);
    return this.secrets.issue(keys, { ...session, lastActiveAt: session.asOf }, token);
  }

  private requireProofs({ factors, asOf }: LiveSession, required: RequiredProofs): void {
    const { maxAgeSeconds = Infinity, factors: kinds } = required;
    const since = epochSeconds(asOf) - maxAgeSeconds;
    const proofs = Object.values(factors).filter(
      (factor) => this.factorTypes.credentialOf(factor) !== null && factor.method.last_verified_at >= since,
    );
    const missing = kinds?.filter((kind) => proofs.every(({ type }) => type !== kind)) ?? [];
    if (missing.length === 0 && proofs.length > 0) return;
    const age = maxAgeSeconds === Infinity ? '' : ` in the last ${maxAgeSeconds} seconds`;
    const kind = missing.length === 0 ? '' : ` of ${missing.join(', ')}`;
    throw new StepUpRequired(`The session saw no proof${kind}${age}. Let the user prove it in the session.`);
  }
}

/** A secret of a session of another user than the key's is treated as unknown. */
export async function assertWithin(
  sessions: SessionRepository,
  appId: AppId,
  proofs: readonly SessionProof[],
  binding: KeyBinding | null,
): Promise<void> {
  if (!binding) return;
  const named = await Promise.all(proofs.map((proof) => sessions.find(appId, proof)));
  if (named.some((session) => session?.userId !== binding.userId)) throw new InvalidSession();
}

export async function assertOneSession(
  sessions: SessionRepository,
  appId: AppId,
  references: readonly SessionReference[],
): Promise<void> {
  const ids = await Promise.all(
    references.map(async (reference) => {
      if (reference.by === 'id') return reference.sessionId;
      const id = await sessions.idOf(appId, reference);
      if (!id) throw new InvalidSession();
      return id;
    }),
  );
  if (new Set(ids).size > 1) throw new SessionMismatch();
}
