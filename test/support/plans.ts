import { escapeLiteral } from 'pg';
import { Database } from '../../src/postgres/database.js';
import { explainedPlan, type ExplainRow } from '../../src/postgres/explained-plan.js';
import { prepareValue } from '../../src/postgres/pg-internals.js';
import type { TestApp } from './app.js';
import type { SentStatement } from './statements.js';

/** A node of an executed plan, from EXPLAIN (ANALYZE, FORMAT JSON). */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement, which is for one app, and returns what each node of its plan did. */
export async function planOf(service: TestApp, statement: SentStatement): Promise<PlanNode> {
  const rows = await service.nest
    .get(Database)
    .write<ExplainRow>(`explain (analyze, format json) ${withValues(statement)}`);
  return JSON.parse(JSON.stringify(explainedPlan(rows)), withoutShard) as PlanNode;
}

/** On Citus EXPLAIN shows another plan for parameters: one for any values. */
function withValues({ text, values }: SentStatement): string {
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = prepareValue(values[number - 1]);
    return value === null ? 'null' : escapeLiteral(String(value));
  });
}

/** On Citus the names of tables and indexes end with the id of their shard. */
function withoutShard(key: string, value: unknown): unknown {
  return key === 'Index Name' || key === 'Relation Name' ? String(value).replace(/_\d{6}$/, '') : value;
}

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The number of table rows that a plan read. */
export function rowsRead(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), own);
}
