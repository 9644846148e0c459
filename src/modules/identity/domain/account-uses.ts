import { Registry } from '../../../kernel/registry.js';

export interface AccountUse {
  readonly name: string;
  /** SQL that selects a row if the module has a record of a use of the account of user `$2` of app `$1`. */
  readonly records: string;
  readonly keptDays?: number;
}

/** The records of the use of accounts. A module that closes accounts registers its own when it starts. */
export class AccountUses {
  private readonly uses = new Registry<AccountUse>('The use of accounts');

  register(use: AccountUse): void {
    this.uses.add(use.name, use);
  }

  get records(): string {
    return [...this.uses.values()].map(({ records }) => `(${records})`).join(' union all ');
  }

  /** The age in days below which an account without a record was not used. */
  get provenDays(): number {
    return Math.min(...[...this.uses.values()].map(({ keptDays = Infinity }) => keptDays));
  }
}
