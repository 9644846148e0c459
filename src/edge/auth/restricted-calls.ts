import type { NestExpressApplication } from '@nestjs/platform-express';
import { type AppId, kindOf, unknownId } from '../../kernel/ids.js';
import { isWithin, type KeyBinding } from '../../kernel/key-restriction.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { actAs } from '../../kernel/acting-key.js';
import { fieldsTakenBy } from '../http/class-validator-internals.js';
import { idFieldsOf } from '../http/id-fields.js';
import { wrapHandlers } from '../http/wrapped-handlers.js';
import type { Credential } from './credential.js';
import type { AuthenticatedApp } from '../http/authenticated-request.js';
import { AppAuthenticator, CREDENTIAL } from './credential.js';

// An id outside the binding is replaced by one that no object has: every operation then responds as for an unknown id.

const CONFINES = 'confines bound keys';
const SETTING = 'object owners';
const AUTHENTICATOR = 'app authenticator';

export function isConfined(handler: object): boolean {
  return Reflect.hasMetadata(CONFINES, handler);
}

export function confineRestrictedKeys(app: NestExpressApplication): void {
  app.set(SETTING, app.get(ObjectOwners));
  app.set(AUTHENTICATOR, app.get(AppAuthenticator));
  wrapHandlers(app, CONFINES, (handler) => {
    const credential = Reflect.getMetadata(CREDENTIAL, handler) as Credential | undefined;
    if (credential?.kind !== 'secret' || credential.scopes === undefined) return undefined;
    return (request, args, handle) => {
      const caller = request.app_!;
      if (!caller.restriction) return handle(args);
      const { binding } = caller.restriction;
      if (!binding) return actAs(caller.keyId, async () => handle(args));
      const owners = request.app.get(SETTING) as ObjectOwners;
      const keys = request.app.get(AUTHENTICATOR) as AppAuthenticator;
      // The key ends when its user gets the account. A call that has begun before changes nothing of it.
      const call = async () => handle(await new Confinement(owners, caller).confine(args, binding));
      return actAs(caller.keyId, call, () => keys.commitOnlyIfValid(caller));
    };
  });
}

class Confinement {
  constructor(
    private readonly owners: ObjectOwners,
    private readonly caller: AuthenticatedApp,
  ) {}

  async confine(args: readonly unknown[], bound: KeyBinding): Promise<unknown[]> {
    const binding = await this.live(bound);
    const confined = { ...this.caller, restriction: { ...this.caller.restriction!, binding } };
    return Promise.all(args.map(async (arg) => (arg === this.caller ? confined : this.value(arg, binding, true))));
  }

  /** A key finds nothing once its user is deleted. */
  private async live(binding: KeyBinding): Promise<KeyBinding> {
    if (binding.userId === null || (await this.owners.find(this.appId, binding.userId))) return binding;
    return { userId: unknownId('user'), walletIds: [] };
  }

  private async value(value: unknown, binding: KeyBinding, isId: boolean): Promise<unknown> {
    if (typeof value === 'string') return isId ? this.ownOrUnknown(value, binding) : value;
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.value(item, binding, isId)));
    if (!isRequest(value)) return value;
    const idFields = idFieldsOf(value.constructor);
    for (const [name, inner] of Object.entries(value))
      Object.assign(value, { [name]: await this.value(inner, binding, idFields.has(name)) });
    return value;
  }

  private async ownOrUnknown(text: string, binding: KeyBinding): Promise<string> {
    const kind = kindOf(text);
    if (kind === null || text === this.appId) return text;
    const owner = await this.owners.find(this.appId, text);
    return owner && isWithin(binding, owner) ? text : unknownId(kind);
  }

  private get appId(): AppId {
    return this.caller.id;
  }
}

/** A body or a query, or an object within one, that the validation made. */
function isRequest(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return fieldsTakenBy(value.constructor as new () => object).size > 0;
}
