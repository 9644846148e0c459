export const STEP_UPS = ['sessions', 'always'] as const;

/** `sessions`: calls that carry a session need a fresh one. `always`: so do calls by the app's key alone. */
export type StepUpCalls = (typeof STEP_UPS)[number];

export const STEP_UP_BOUNDS = {
  methodAgeHours: { min: 0, max: 720, unit: 'hours' },
  recoveryWaitHours: { min: 0, max: 720, unit: 'hours' },
} as const;

export interface StepUpSettings {
  readonly calls: StepUpCalls;
  /** How long ago a method must have been proved for the first time, for its proof to make a session fresh. */
  readonly methodAgeHours: number;
  readonly removalNeedsSession: boolean;
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

export function stepUpInForce(own: Partial<StepUpSettings>): StepUpSettings {
  return { ...STANDARD, ...own };
}
