import { type Abstract, type DynamicModule, Inject, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { AppId, UserId } from '../../kernel/ids.js';
import { type EndedRows, Retention } from '../../kernel/retention.js';
import { type SealedColumn, SealedColumns } from '../../kernel/vault.js';
import {
  IdentityModule,
  type SearchedRows,
  type SignInMethod,
  SignInMethods,
  type UserProfilePart,
  UserProfileParts,
  UserSearchFields,
} from '../identity/index.js';
import { type DeclaredFactor, FactorType, FactorTypes } from './domain/factor.js';
import { SessionModule } from './session.module.js';

export type Provided = <T>(provider: Type<T> | Abstract<T>) => T;

export interface SignIn extends Pick<SignInMethod, 'credentials' | 'title' | 'opensFirst'> {
  readonly factor: DeclaredFactor;
  /** Does the work of `SignInMethod.revoke`, with providers of the module. */
  readonly revoke: (the: Provided, appId: AppId, userId: UserId, codesStay: readonly string[]) => Promise<number>;
  readonly profile?: UserProfilePart;
  readonly search?: SearchedRows;
  readonly retention?: readonly EndedRows[];
  readonly sealed?: readonly SealedColumn[];
}

const DECLARED = Symbol('the declared sign-in method');

/** Registers a sign-in method wherever the service must know of it. Sessions refuse a factor that no method declares. */
@Module({})
export class SignInModule implements OnModuleInit {
  constructor(
    @Inject(DECLARED) private readonly declared: SignIn & { readonly factor: FactorType },
    private readonly nest: ModuleRef,
    private readonly methods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly profileParts: UserProfileParts,
    private readonly searchFields: UserSearchFields,
    private readonly retention: Retention,
    private readonly sealedColumns: SealedColumns,
  ) {}

  /** Declared while the module is loaded, because the API document is made without a database. The module imports the result. */
  static declare(method: SignIn): DynamicModule {
    if (method.search) UserSearchFields.declare(method.search);
    return {
      module: SignInModule,
      imports: [IdentityModule, SessionModule],
      providers: [{ provide: DECLARED, useValue: { ...method, factor: FactorType.declare(method.factor) } }],
    };
  }

  onModuleInit(): void {
    const {
      factor,
      title,
      credentials,
      opensFirst,
      revoke,
      profile,
      search,
      retention = [],
      sealed = [],
    } = this.declared;
    const the: Provided = (provider) => this.nest.get(provider, { strict: false });
    this.factorTypes.register(factor);
    const revoked: SignInMethod['revoke'] = (appId, userId, codesStay) => revoke(the, appId, userId, codesStay);
    this.methods.register({
      factorType: factor.type,
      ...(title !== undefined && { title }),
      ...(opensFirst && { opensFirst }),
      credentials,
      revoke: revoked,
    });
    if (profile) this.profileParts.register(profile);
    if (search) this.searchFields.register(search);
    for (const rows of retention) this.retention.register(rows);
    for (const column of sealed) this.sealedColumns.register(column);
  }
}
