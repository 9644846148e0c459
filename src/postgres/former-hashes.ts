/** A newer code or link overwrites the row. */
export const endingOf = (row: string, spentAt: string, now: string): string =>
  `case when ${row}.${spentAt} is not null then 'spent' when ${row}.expires_at <= ${now} then 'expired' else 'replaced' end`;

export const endOf = (row: string, spentAt: string, now: string): string =>
  `coalesce(${row}.${spentAt}, least(${row}.expires_at, ${now}))`;
