import type { DomainError } from '../../../kernel/domain-error.js';
import type { AppId, ApprovalId } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';
import type { Requester } from '../../../kernel/requester.js';

/** A change of an app or of its policies that an operator asks for. */
export interface AskedChange {
  readonly by: Requester;
  readonly appId: AppId;
  /** The approval that the repeated call carries. */
  readonly approvalId?: ApprovalId | undefined;
}

/** The settings of an app itself on which modules decide. */
export interface SettledApp {
  readonly name: string;
  readonly approverPasskeyHours: number | null;
  readonly moduleSettings: StoredSettings;
}

/** A change of one setting. The app is locked; null stands for no setting. */
export interface AskedSetting<S extends object> extends AskedChange {
  /** The app before the change, which is null for a new one, and after it. */
  readonly apps: { readonly before: SettledApp | null; readonly after: SettledApp };
  readonly before: S | null;
  readonly after: S | null;
}

/** Settings of each app that another module owns: a field of the management API, stored with the app under the field's name. */
export interface ModuleSetting<S extends object, R extends object> {
  /** The field's name. The two classes of the field carry `@RequestedOfApp(field)` and `@ShownOfApp(field)`. */
  readonly field: string;
  /** The settings after a request; the app's row is locked. Throws `InvalidRequest`, which names the fields with their path. */
  change(current: S | null, requested: R): S;
  /** The settings in responses. An app without settings may show null or the settings in force. */
  show(settings: S | null): object | number | null;
  /**
   * Permits a change of the app in its transaction, also one that leaves the setting as it is. A refusal that it returns is thrown after the
   * commit, with which everything that it has stored is kept; one that it throws keeps nothing.
   */
  permit?(asked: AskedSetting<S>): Promise<DomainError | null>;
}

/** The settings that the apps store for the modules, by field. */
export type StoredSettings = Readonly<Record<string, object>>;

/** The change of each field, from its stored value to its next value; null stands for no value. */
export type SettingChanges = Readonly<Record<string, (current: object | null) => object | null>>;

/** The fields that have a class in the API document: for requests, and for responses. */
export interface DocumentedSettings {
  readonly requested: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** The settings of apps that the modules own. */
export class ModuleSettings {
  private readonly settings = new Registry<ModuleSetting<object, object>>('The setting of apps');

  /** Call it in `onModuleInit`. */
  register<S extends object, R extends object>(setting: ModuleSetting<S, R>): void {
    this.settings.add(setting.field, setting as unknown as ModuleSetting<object, object>);
  }

  /** Throws an error that names the first field that is registered without both classes, or has a class and is not registered. */
  requireDocumented({ requested, shown }: DocumentedSettings): void {
    const missing = [...this.settings.keys()].find((field) => !requested.has(field) || !shown.has(field));
    if (missing !== undefined)
      throw new Error(`The setting ${missing} of apps has no class with @RequestedOfApp or none with @ShownOfApp.`);
    const unregistered = [...requested, ...shown].find((field) => !this.settings.has(field));
    if (unregistered !== undefined)
      throw new Error(`The setting ${unregistered} of apps has classes and is not registered.`);
  }

  /** The changes that a request contains. A field that is null is cleared. */
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

  /** The refusal of the change from these settings to those, or null. Throws the errors of the modules. */
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

  /** The fields of a response about an app. */
  shown(stored: StoredSettings): Readonly<Record<string, object | number | null>> {
    return Object.fromEntries(
      [...this.settings.values()].map((setting) => [setting.field, setting.show(stored[setting.field] ?? null)]),
    );
  }
}
