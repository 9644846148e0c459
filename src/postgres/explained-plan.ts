interface Plan {
  readonly 'Plan Rows': number;
  readonly 'Distributed Query'?: {
    readonly Job: { readonly Tasks: readonly [{ readonly 'Remote Plan': readonly [readonly [Explained]] }] };
  };
}

interface Explained {
  readonly Plan: Plan;
}

export interface ExplainRow {
  readonly 'QUERY PLAN': readonly [Explained];
}

/** The plan of Citus's coordinator expects no rows, and holds that of the node with the app's rows. */
export function explainedPlan([row]: readonly ExplainRow[]): Plan {
  const { Plan: plan } = row!['QUERY PLAN'][0];
  return plan['Distributed Query']?.Job.Tasks[0]['Remote Plan'][0][0].Plan ?? plan;
}
