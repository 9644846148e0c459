import type { ComponentType } from 'preact';

export interface PageProps {
  /** Empty on a page of the service. */
  readonly appId: string;
  /** Empty on a list. */
  readonly id: string;
}

export const GROUPS = ['people', 'money', 'build', 'operate'] as const;

/** A module exports a page, or a list of them, as `page` from a file of its folder `console`. */
export interface ConsolePage {
  /** The address below the app's, such as `keys`, `policies/new`, or `users/:id` for one row of a list. */
  readonly path: string;
  readonly view: ComponentType<PageProps>;
  /** Only links lead to a page without a title. */
  readonly title?: string;
  readonly group?: (typeof GROUPS)[number];
  /** A symbol of openapi/look/icons.svg. */
  readonly icon?: string;
  /** The path of the preceding page in the navigation. */
  readonly after?: string;
  /** Its address is below `/console`, and the list of apps links to it. */
  readonly isOfService?: boolean;
}
