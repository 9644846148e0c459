import { type DynamicModule, Module } from '@nestjs/common';
import { PlatformModule, type PlatformSettings } from './platform/platform.module.js';

/** The platform and the bounded contexts on it. */
@Module({})
export class AppModule {
  static with(settings: PlatformSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [PlatformModule.with(settings)],
    };
  }
}
