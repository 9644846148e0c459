import { Registry } from '../../../kernel/registry.js';

/** A list in GET user of the rows that a user owns in a table of another module. */
export interface UserProfilePart {
  readonly field: string;
  /** The class that documents an element. It carries `@PartOfUser(field)`, or `@PartOfManagedUser(field)`. */
  readonly shownAs: new () => object;
  readonly table: string;
  /** The SQL for each field of an element, from a row `t` of the table and its user `u`. Elements are ordered by `id`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly where?: string;
  readonly isForOperators?: boolean;
}

/** Identity composes the SQL of the parts into the one statement of GET user. */
export class UserProfileParts {
  private readonly parts = new Registry<UserProfilePart>('The field of users');

  register(part: UserProfilePart): void {
    this.parts.add(part.field, part);
  }

  get all(): readonly UserProfilePart[] {
    return this.ofOperators.filter(({ isForOperators }) => !isForOperators);
  }

  get ofOperators(): readonly UserProfilePart[] {
    return [...this.parts.values()];
  }
}

export const epochSecondsOf = (time: string): string => `floor(date_part('epoch', ${time}))`;
