import { eventually } from './eventually.js';
import { startSmsSink, type SmsSink } from './sms-receiver.js';
import { type MailSink, startMailSink } from './smtp-server.js';

const NOTICE = /^(New sign-in method|Sign-in method removed)/;

/** The mails and SMS that the service sends, as the recipient sees them. */
export class Inbox {
  private constructor(
    private readonly mailSink: MailSink,
    private readonly smsSink: SmsSink,
  ) {}

  static async start(): Promise<Inbox> {
    return new Inbox(await startMailSink(), await startSmsSink());
  }

  /** Environment of a service that delivers here. */
  get env(): Record<string, string> {
    return { SMTP_URL: this.mailSink.url, MAIL_FROM: 'no-reply@auth.example', SMS_URL: this.smsSink.url };
  }

  /** All messages to this address or number until now, without those about changed sign-in methods, which may come between. */
  of(recipient: string): string[] {
    return this.all(recipient).flatMap(({ subject, text }) => (NOTICE.test(subject) ? [] : text));
  }

  /** The messages about changed sign-in methods. */
  noticesTo(recipient: string): string[] {
    return this.all(recipient).flatMap(({ subject, text }) => (NOTICE.test(subject) ? text : []));
  }

  private all(recipient: string): { subject: string; text: string }[] {
    return recipient.startsWith('+')
      ? this.smsSink.messages.filter(({ to }) => to === recipient).map(({ body }) => ({ subject: body, text: body }))
      : this.mailSink.mails
          .filter(({ to }) => to === recipient)
          .map(({ parsed }) => ({ subject: parsed.subject ?? '', text: parsed.text ?? '' }));
  }

  /** Runs `send` and waits for its message. */
  async after<T>(recipient: string, send: () => Promise<T>): Promise<{ answer: T; message: string }> {
    const before = this.of(recipient).length;
    const answer = await send();
    return { answer, message: (await this.untilThereAre(before + 1, recipient))[before]! };
  }

  untilThereAre(count: number, recipient: string): Promise<string[]> {
    return eventually(() => {
      const messages = this.of(recipient);
      if (messages.length < count) throw new Error(`Only ${messages.length} messages to ${recipient} came.`);
      return messages;
    });
  }

  async stop(): Promise<void> {
    await this.mailSink.stop();
    await this.smsSink.stop();
  }
}

export function codeIn(message: string): string {
  return /\b[0-9]{6}\b/.exec(message)![0];
}

export function linkIn(message: string): URL {
  return new URL(/https?:\/\/\S+token=\w+/.exec(message)![0]);
}

export function tokenIn(message: string): string {
  return linkIn(message).searchParams.get('token')!;
}
