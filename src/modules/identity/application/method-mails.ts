import { MailKind } from '../../../kernel/mail-kind.js';
import { footer, mailPage, paragraph } from '../../../kernel/mail-page.js';

const ADVICE =
  'If it was not you, sign in, remove what you do not know and end your sessions. If you cannot sign in, ask {{app_name}} to recover your account.';

// The subject is also the text of the SMS where only a phone number is verified.
function declared(kind: string, description: string, subject: string, happened: string): MailKind<'method'> {
  return MailKind.declare({
    kind,
    substance: 'method',
    description,
    template: {
      subject,
      text: `{{greeting}}\n\n${happened}\n\n${ADVICE}\n`,
      html: mailPage(
        happened,
        'Your sign-in methods have changed',
        paragraph('{{greeting}}'),
        paragraph(happened),
        footer(ADVICE),
      ),
    },
  });
}

export const METHOD_MAILS = {
  added: declared(
    'sign_in_method_added',
    'The mail about a sign-in method that the account of its receiver has gained.',
    'New sign-in method for your {{app_name}} account: {{method}}',
    'Your {{app_name}} account has a new sign-in method: {{method}}.',
  ),
  removed: declared(
    'sign_in_method_removed',
    'The mail about a sign-in method that the account of its receiver has lost.',
    'Sign-in method removed from your {{app_name}} account: {{method}}',
    'A sign-in method was removed from your {{app_name}} account: {{method}}.',
  ),
} as const;
