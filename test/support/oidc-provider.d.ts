declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** The provider's default storage, without the warning that a restart loses it. */
  export function createMemoryAdapter(): (model: string) => unknown;
}
