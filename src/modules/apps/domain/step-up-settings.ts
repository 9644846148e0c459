export const STEP_UPS = ['sessions', 'always'] as const;

/**
 * Which calls that add or remove a sign-in method need a fresh session: those that carry a session, or those by the app's key alone
 * too.
 */
export type StepUpCalls = (typeof STEP_UPS)[number];

/** The bounds of the settings that are numbers. */
export const STEP_UP_BOUNDS = {
  methodAgeHours: { min: 0, max: 720, unit: 'hours' },
  recoveryWaitHours: { min: 0, max: 720, unit: 'hours' },
} as const;

/** The conditions of an app for adding and removing sign-in methods, and the messages about them. */
export interface StepUpSettings {
  readonly calls: StepUpCalls;
  /** How long ago a method must have been proved for the first time, for its proof to make a session fresh. */
  readonly methodAgeHours: number;
  /** Whether the removal of a sign-in method by the app needs a session of the user. */
  readonly removalNeedsSession: boolean;
  /** Whether the user is notified by mail or SMS. */
  readonly notifiesUser: boolean;
  /** How long a recovery that an operator begins can be cancelled before it takes effect. */
  readonly recoveryWaitHours: number;
}

const STANDARD: StepUpSettings = {
  calls: 'sessions',
  methodAgeHours: 24,
  removalNeedsSession: false,
  notifiesUser: true,
  recoveryWaitHours: 48,
};

/** The settings in force: those that the app has set, over the defaults. */
export function stepUpInForce(own: Partial<StepUpSettings>): StepUpSettings {
  return { ...STANDARD, ...own };
}
