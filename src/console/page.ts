import type { ComponentType } from 'preact';

export interface PageProps {
  /** The id of the app; empty on a page of the service. */
  readonly appId: string;
  /** The id of the object that the page shows; empty on a list. */
  readonly id: string;
}

/** The groups of the navigation, in their order. */
export const GROUPS = ['people', 'money', 'build', 'operate'] as const;

/** A page of the console. A module exports it, or a list of pages, as `page` from a file of its folder `console`. */
export interface ConsolePage {
  /** Its address below the one of the app, such as `keys`, `policies/new`, or `users/:id` for one row of a list. */
  readonly path: string;
  readonly view: ComponentType<PageProps>;
  /** Its name in the navigation. Links lead to a page without one. */
  readonly title?: string;
  /** The group of the navigation that it stands in; the overview stands above them. */
  readonly group?: (typeof GROUPS)[number];
  /** Its icon in the navigation: a symbol of openapi/look/icons.svg. */
  readonly icon?: string;
  /** The path of the page that stands before it in the navigation. */
  readonly after?: string;
  /** It belongs to no app: its address is below `/console`, and the list of apps links to it. */
  readonly isOfService?: boolean;
}
