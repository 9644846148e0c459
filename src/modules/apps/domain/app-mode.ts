export const APP_MODES = ['test', 'live'] as const;

/** Whether an app is for trying things out, where some rules are looser, or for real. */
export type AppMode = (typeof APP_MODES)[number];
