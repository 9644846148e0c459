import type { DomainError } from '../../../kernel/domain-error.js';
import type { AppId, ApprovalId } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';
import type { Requester } from '../../../kernel/requester.js';

export interface AskedChange {
  readonly by: Requester;
  readonly appId: AppId;
  /** The approval that the repeated call carries. */
  readonly approvalId?: ApprovalId | undefined;
}

export interface SettledApp {
  readonly name: string;
  readonly approverPasskeyHours: number | null;
  readonly moduleSettings: StoredSettings;
}

/** The app is locked; null stands for no setting. */
export interface AskedSetting<S extends object> extends AskedChange {
  /** `before` is null for a new app. */
  readonly apps: { readonly before: SettledApp | null; readonly after: SettledApp };
  readonly before: S | null;
  readonly after: S | null;
}

/** Settings of each app that another module owns: a field of the management API, stored with the app under the field's name. */
export interface ModuleSetting<S extends object, R extends object> {
  /** The two classes of the field carry `@RequestedOfApp(field)` and `@ShownOfApp(field)`. */
  readonly field: string;
  /** The app's row is locked. Throws `InvalidRequest`, which names the fields with their path. */
  change(current: S | null, requested: R): S;
  /** An app without settings may show null or the settings in force. */
  show(settings: S | null): object | number | null;
  /** Called even if the setting does not change. A returned refusal is thrown after the commit; a thrown one rolls everything back. */
  permit?(asked: AskedSetting<S>): Promise<DomainError | null>;
}

export type StoredSettings = Readonly<Record<string, object>>;

export type SettingChanges = Readonly<Record<string, (current: object | null) => object | null>>;

export interface DocumentedSettings {
  readonly requested: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

export class ModuleSettings {
  private readonly settings = new Registry<ModuleSetting<object, object>>('The setting of apps');

  /** Call it in `onModuleInit`. */
  register<S extends object, R extends object>(setting: ModuleSetting<S, R>): void {
    this.settings.add(setting.field, setting as unknown as ModuleSetting<object, object>);
  }

  requireDocumented({ requested, shown }: DocumentedSettings): void {
    const missing = [...this.settings.keys()].find((field) => !requested.has(field) || !shown.has(field));
    if (missing !== undefined)
      throw new Error(`The setting ${missing} of apps has no class with @RequestedOfApp or none with @ShownOfApp.`);
    const unregistered = [...requested, ...shown].find((field) => !this.settings.has(field));
    if (unregistered !== undefined)
      throw new Error(`The setting ${unregistered} of apps has classes and is not registered.`);
  }

  changesIn(request: object): SettingChanges {
    const requested = request as Readonly<Record<string, object | null | undefined>>;
    return Object.fromEntries(
      [...this.settings.values()].flatMap((setting) => {
        const value = requested[setting.field];
        if (value === undefined) return [];
        return [[setting.field, (current) => (value === null ? null : setting.change(current, value))]];
      }),
    );
  }

  async refusalOf(asked: AskedChange, before: SettledApp | null, after: SettledApp): Promise<DomainError | null> {
    for (const [field, setting] of this.settings) {
      const changed = {
        ...asked,
        apps: { before, after },
        before: before?.moduleSettings[field] ?? null,
        after: after.moduleSettings[field] ?? null,
      };
      const refusal = await setting.permit?.(changed);
      if (refusal) return refusal;
    }
    return null;
  }

  shown(stored: StoredSettings): Readonly<Record<string, object | number | null>> {
    return Object.fromEntries(
      [...this.settings.values()].map((setting) => [setting.field, setting.show(stored[setting.field] ?? null)]),
    );
  }
}
