/** Mail programs support little CSS, so the page uses tables and inline styles. Inboxes show the hidden preview beside the subject. */
export function mailPage(preview: string, heading: string, ...rows: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{{app_name}}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #16181d !important; }
  .card { background-color: #23262d !important; border-color: #3a3f4a !important; }
  .ink { color: #f2f4f8 !important; }
  .pale { color: #a9b0bd !important; }
  .link { color: #9dbcff !important; }
  .code { background-color: #16181d !important; color: #f2f4f8 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f7;">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;">${preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f3f4f7;">
<tr><td align="center" style="padding:32px 16px;">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;background-color:#ffffff;border:1px solid #e1e4ea;border-radius:12px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;">
<tr><td class="pale" style="padding:28px 32px 0;font-size:14px;line-height:20px;color:#5d6675;">{{app_name}}</td></tr>
<tr><td class="ink" style="padding:6px 32px 0;font-size:22px;line-height:30px;font-weight:600;color:#14171f;">${heading}</td></tr>
${rows.join('\n')}
</table>
</td></tr>
</table>
</body>
</html>
`;
}

export function paragraph(text: string): string {
  return `<tr><td class="ink" style="padding:16px 32px 0;font-size:16px;line-height:24px;color:#14171f;">${text}</td></tr>`;
}

/** The link and the cell both have the colours, because some programs keep only one of them. */
export function button(label: string): string {
  return `<tr><td style="padding:24px 32px 0;"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#1f5eff" style="border-radius:8px;background-color:#1f5eff;"><a href="{{link}}" target="_blank" style="display:inline-block;padding:12px 24px;font-size:16px;line-height:24px;font-weight:600;color:#ffffff;background-color:#1f5eff;border-radius:8px;text-decoration:none;">${label}</a></td></tr></table></td></tr>
<tr><td class="pale" style="padding:20px 32px 0;font-size:13px;line-height:20px;color:#5d6675;">If the button does not work, open this address:<br><a href="{{link}}" target="_blank" class="link" style="color:#1f5eff;word-break:break-all;">{{link}}</a></td></tr>`;
}

export function footer(text: string): string {
  return `<tr><td class="pale" style="padding:24px 32px 28px;font-size:13px;line-height:20px;color:#5d6675;">${text}</td></tr>`;
}

export const CODE = `<tr><td style="padding:24px 32px 0;"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" class="code" style="padding:16px;background-color:#f3f4f7;border-radius:8px;font-family:SFMono-Regular,Menlo,Consolas,'Courier New',monospace;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;color:#14171f;">{{code}}</td></tr></table></td></tr>`;
