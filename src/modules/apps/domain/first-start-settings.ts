export abstract class FirstStartSettings {
  abstract readonly managementKey: string | undefined;
  abstract readonly nodeEnv: 'production' | 'development' | 'test';
  abstract readonly baseUrl: string;
}
