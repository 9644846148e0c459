/** What every view of an app gets. */
export interface AppPageProps {
  readonly appId: string;
  /** Of what the view shows; empty for a list. */
  readonly id: string;
}
