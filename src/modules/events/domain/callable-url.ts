/** Keeps the service from being pointed at its own network. */
export abstract class CallableUrl {
  /** Null, or why this service does not call the URL, as a sentence. A name that does not resolve now is accepted. */
  abstract faultOf(url: string): Promise<string | null>;
}
