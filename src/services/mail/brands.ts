import type { AppId } from '../../kernel/ids.js';
import type { MessageTemplates } from '../../kernel/message-templates.js';

export interface Brand {
  readonly appName: string;
  readonly senderName: string;
  /** Null stands for the service's own address. */
  readonly senderAddress: string | null;
  /** Users type codes on pages of this domain; null when the app has not set it. */
  readonly webDomain: string | null;
  readonly templates: MessageTemplates;
}

export abstract class Brands {
  abstract of(appId: AppId): Promise<Brand | null>;
}
