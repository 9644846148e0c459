import { type MailTemplate, TEXT_PLACEHOLDERS } from './message-templates.js';
import type { Addressed, Mail } from './messages.js';
import { Registry } from './registry.js';

/** Every text of a mail has this part. */
export type MailSubstance = 'link' | 'code' | 'method' | 'expires_in';

export interface MailDeclaration<Substance extends MailSubstance> {
  /** Lower-case words joined by `_`, such as `magic_link`. Apps store their templates under it. */
  readonly kind: string;
  readonly substance: Substance;
  readonly description: string;
  readonly template: Required<MailTemplate>;
}

const declared = new Registry<MailKind>('The kind of mail');
const names: string[] = [];
const watchers: ((kind: MailKind) => void)[] = [];

/** The list grows until all modules are loaded. */
export const MAIL_KINDS: readonly string[] = names;

export class MailKind<Substance extends MailSubstance = MailSubstance> {
  private constructor(private readonly declaration: MailDeclaration<Substance>) {}

  /** Call it while a module is loaded: the API document has the kinds that are declared then. */
  static declare<const Substance extends MailSubstance>(declaration: MailDeclaration<Substance>): MailKind<Substance> {
    const kind = new MailKind(declaration);
    declared.add(declaration.kind, kind);
    names.push(declaration.kind);
    for (const watch of watchers) watch(kind);
    return kind;
  }

  static named(kind: string): MailKind {
    return declared.get(kind)!;
  }

  static each(watch: (kind: MailKind) => void): void {
    watchers.push(watch);
    for (const kind of declared.values()) watch(kind);
  }

  get name(): string {
    return this.declaration.kind;
  }

  get description(): string {
    return `${this.declaration.description} It must contain \`{{${this.declaration.substance}}}\`.`;
  }

  get template(): Required<MailTemplate> {
    return this.declaration.template;
  }

  /** Every text and HTML must contain the first. */
  get placeholders(): readonly string[] {
    const { substance } = this.declaration;
    const further = TEXT_PLACEHOLDERS.filter((name) => name !== substance);
    return [substance, ...(substance === 'method' ? further.filter((name) => name !== 'expires_in') : further)];
  }

  mail(addressed: Addressed & Readonly<Record<Exclude<Substance, 'expires_in'>, string>>): Mail {
    return { kind: this.name, ...addressed } as unknown as Mail;
  }

  sample(name: string): Mail {
    const substance = SAMPLES[this.declaration.substance];
    return { kind: this.name, to: 'ann@example.com', minutes: 10, name, ...substance };
  }
}

const SAMPLES = {
  link: { link: 'https://app.example.com/login?token=sample' },
  code: { code: '123456' },
  method: { method: 'passkey' },
  expires_in: {},
} as const satisfies Record<MailSubstance, object>;
