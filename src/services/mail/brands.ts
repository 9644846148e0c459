import type { AppId } from '../../kernel/ids.js';
import type { MessageTemplates } from '../../kernel/message-templates.js';

/** How an app appears in what it sends. */
export interface Brand {
  readonly appName: string;
  /** The name beside the sender's address. */
  readonly senderName: string;
  /** Null: the service's own address. */
  readonly senderAddress: string | null;
  /** The domain on whose pages codes are typed in; null where the app did not tell. */
  readonly webDomain: string | null;
  readonly templates: MessageTemplates;
}

/** Knows how each app appears. */
export abstract class Brands {
  /** Null when the app was deleted. */
  abstract of(appId: AppId): Promise<Brand | null>;
}
