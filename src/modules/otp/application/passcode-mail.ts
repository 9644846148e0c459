import { MailKind } from '../../../kernel/mail-kind.js';
import { CODE, footer, mailPage, paragraph } from '../../../kernel/mail-page.js';

// The lifetime counts from the request, because a mail may arrive late.
const CODE_NOTE = 'The code works once. It expires {{expires_in}} after it was requested.';
const SECRET_NOTE = '{{app_name}} will never ask you for it. If you did not ask for a code, you can ignore this mail.';

export const PASSCODE_MAIL = MailKind.declare({
  kind: 'one_time_code',
  substance: 'code',
  description: 'The mail with a one-time code.',
  template: {
    subject: 'Your code for {{app_name}}',
    text: `{{greeting}}

Your code for {{app_name}} is:

{{code}}

${CODE_NOTE}

${SECRET_NOTE}
`,
    html: mailPage(
      CODE_NOTE,
      'Your code for {{app_name}}',
      paragraph('{{greeting}}'),
      paragraph('This is your code:'),
      CODE,
      footer(`${CODE_NOTE} ${SECRET_NOTE}`),
    ),
  },
});
