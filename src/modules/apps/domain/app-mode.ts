export const APP_MODES = ['test', 'live'] as const;

export type AppMode = (typeof APP_MODES)[number];
