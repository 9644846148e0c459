import { ApiProperty } from '@nestjs/swagger';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { Nested } from '../../../../edge/http/compound-fields.js';
import type { DomainErrorClass } from '../../../../kernel/domain-error.js';
import type { DocumentedSettings } from '../../domain/module-settings.js';
import { AppResponse, CreateAppRequest, UpdateAppRequest } from './app.dto.js';
import { AppsController } from './apps.controller.js';

const requested = new Set<string>();
const shown = new Set<string>();

/**
 * Adds the class to the requests that create and change an app, as a field that the module registers in `ModuleSettings`. The refusals are
 * those of `permit`.
 */
export function RequestedOfApp(field: string, ...refusals: DomainErrorClass[]): ClassDecorator {
  return (model) => {
    requested.add(field);
    const update = Object.getOwnPropertyDescriptor(AppsController.prototype, 'update')!;
    if (refusals.length > 0) Refuses(...refusals)(AppsController.prototype, 'update', update);
    for (const request of [CreateAppRequest, UpdateAppRequest])
      Nested(() => model as unknown as new () => object, { optional: true, nullable: true })(request.prototype, field);
  };
}

/** Adds the class to the responses about an app, as a field that the module registers in `ModuleSettings`. */
export function ShownOfApp(field: string): ClassDecorator {
  return (model) => {
    shown.add(field);
    ApiProperty({ type: () => model, nullable: true } as object)(AppResponse.prototype, field);
  };
}

/** Adds a field that is no object to requests and responses, instead of two classes. */
export function SettingOfApp(
  field: string,
  as: { readonly requested: PropertyDecorator; readonly shown: PropertyDecorator },
): void {
  requested.add(field);
  shown.add(field);
  for (const request of [CreateAppRequest, UpdateAppRequest]) as.requested(request.prototype, field);
  as.shown(AppResponse.prototype, field);
}

export const documentedSettings: DocumentedSettings = { requested, shown };
