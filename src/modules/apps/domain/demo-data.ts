import type { AppId } from '../../../kernel/ids.js';
import type { FirstStartSettings } from './first-start-settings.js';
import type { SettingChanges } from './module-settings.js';

/** What a module adds to the demo app. */
export interface DemoPart {
  /** Settings of the module with which the app is created. */
  readonly settings?: SettingChanges;
  /** Adds the module's objects under the ids of the examples. Runs in the transaction that creates the app. */
  readonly add: (appId: AppId) => Promise<unknown>;
}

/**
 * In development the demo app has objects with the ids and values that the API document shows, so that its examples work. Modules
 * register their parts when they start; a module starts after the modules that it imports, so parts follow what they need.
 */
export class DemoData {
  private readonly parts: DemoPart[] = [];

  constructor(private readonly settings: Pick<FirstStartSettings, 'nodeEnv'>) {}

  /** Call it in `onModuleInit`. Outside development the part is dropped. */
  register(part: DemoPart): void {
    if (this.settings.nodeEnv === 'development') this.parts.push(part);
  }

  get moduleSettings(): SettingChanges {
    return Object.assign({}, ...this.parts.map(({ settings }) => settings)) as SettingChanges;
  }

  async addTo(appId: AppId): Promise<void> {
    for (const part of this.parts) await part.add(appId);
  }
}
