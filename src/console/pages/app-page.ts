/** What every view of an app gets. */
export interface AppPageProps {
  readonly appId: string;
}
