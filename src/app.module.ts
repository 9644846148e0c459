import { type DynamicModule, Module } from '@nestjs/common';
import { EdgeModule } from './edge/edge.module.js';
import * as modules from './modules/index.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { ServicesModule, type ServicesSettings } from './services/services.module.js';

export interface AppSettings extends ServicesSettings {
  readonly databaseUrl: string;
}

@Module({})
export class AppModule {
  static with({ databaseUrl, ...services }: AppSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PostgresModule.with(services.config, databaseUrl),
        ServicesModule.with(services),
        EdgeModule,
        // By name, so that routes and documentation have one order everywhere.
        ...Object.values(modules).toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)),
      ],
    };
  }
}

/** Routes of a module with `hasFirstRoutes` come first. */
function orderOf(module: { readonly name: string; readonly hasFirstRoutes?: boolean }): string {
  return module.hasFirstRoutes ? ` ${module.name}` : module.name;
}
