import { MailKind } from '../../../kernel/mail-kind.js';
import { button, footer, mailPage, paragraph } from '../../../kernel/mail-page.js';

// The lifetime counts from the request, because a mail may arrive late.
const LINK_NOTE = 'The link works once. It expires {{expires_in}} after it was requested.';
const STRANGER_NOTE = 'If you did not ask for this mail, you can ignore it: nothing happens without you.';

export const LINK_MAIL = MailKind.declare({
  kind: 'magic_link',
  substance: 'link',
  description: 'The mail with a magic link.',
  template: {
    subject: 'Sign in to {{app_name}}',
    text: `{{greeting}}

Open this link to sign in to {{app_name}}:

{{link}}

${LINK_NOTE}

${STRANGER_NOTE}
`,
    html: mailPage(
      LINK_NOTE,
      'Sign in to {{app_name}}',
      paragraph('{{greeting}}'),
      paragraph('Press the button to sign in.'),
      button('Sign in'),
      footer(`${LINK_NOTE} ${STRANGER_NOTE}`),
    ),
  },
});

export const INVITE_MAIL = MailKind.declare({
  kind: 'invite',
  substance: 'link',
  description: 'The mail with an invitation.',
  template: {
    subject: 'You are invited to {{app_name}}',
    text: `{{greeting}}

You are invited to {{app_name}}. Open this link to accept:

{{link}}

${LINK_NOTE}

If you do not know {{app_name}}, you can ignore this mail: nothing happens without you.
`,
    html: mailPage(
      'Open the link to accept the invitation.',
      'You are invited to {{app_name}}',
      paragraph('{{greeting}}'),
      paragraph('Press the button to accept the invitation.'),
      button('Accept the invitation'),
      footer(`${LINK_NOTE} If you do not know {{app_name}}, you can ignore this mail: nothing happens without you.`),
    ),
  },
});
