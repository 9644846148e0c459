import { Registry } from '../../../kernel/registry.js';

/** Settings of each app that another module owns: a field of the management API, stored with the app under the field's name. */
export interface ModuleSetting<S extends object, R extends object> {
  /** The field's name. The two classes of the field carry `@RequestedOfApp(field)` and `@ShownOfApp(field)`. */
  readonly field: string;
  /** The settings after a request; the app's row is locked. Throws `InvalidRequest`, which names the fields with their path. */
  change(current: S | null, requested: R): S;
  /** The settings in responses. An app without settings may show null or the settings in force. */
  show(settings: S | null): object | null;
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

  /** The fields of a response about an app. */
  shown(stored: StoredSettings): Readonly<Record<string, object | null>> {
    return Object.fromEntries(
      [...this.settings.values()].map((setting) => [setting.field, setting.show(stored[setting.field] ?? null)]),
    );
  }
}
