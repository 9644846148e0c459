import { MailKind } from '../../../kernel/mail-kind.js';
import { footer, mailPage, paragraph } from '../../../kernel/mail-page.js';

const HAPPENED =
  'The support of {{app_name}} was asked to let you sign in by a new address, because you lost the way to your account.';
const THEN = 'In {{expires_in}} a code sent to that address opens your account.';
const ADVICE =
  'If it was not you who asked, sign in and cancel the recovery, or contact {{app_name}} at once. If it was you, you need do nothing.';

export const RECOVERY_MAIL = MailKind.declare({
  kind: 'recovery_begun',
  substance: 'expires_in',
  description: 'The mail about the recovery of the account of its receiver.',
  template: {
    subject: 'Your {{app_name}} account will open by a new address in {{expires_in}}. Not you? Cancel it.',
    text: `{{greeting}}\n\n${HAPPENED}\n\n${THEN}\n\n${ADVICE}\n`,
    html: mailPage(
      THEN,
      'Your account is being recovered',
      paragraph('{{greeting}}'),
      paragraph(`${HAPPENED} ${THEN}`),
      footer(ADVICE),
    ),
  },
});
