import type { AppId } from '../../kernel/ids.js';
import type { MessageTemplates } from '../../kernel/message-templates.js';

/** How an app appears in its messages. */
export interface Brand {
  readonly appName: string;
  /** The name beside the sender's address. */
  readonly senderName: string;
  /** Null stands for the service's own address. */
  readonly senderAddress: string | null;
  /** The domain of the pages on which users type codes; null when the app has not set it. */
  readonly webDomain: string | null;
  readonly templates: MessageTemplates;
}

/** Finds the brand of an app. */
export abstract class Brands {
  /** Null when the app was deleted. */
  abstract of(appId: AppId): Promise<Brand | null>;
}
