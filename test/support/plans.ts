import { Database } from '../../src/postgres/database.js';
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

/** Runs the statement again and returns what each node of its plan did. */
export async function planOf(service: TestApp, { text, values }: SentStatement): Promise<PlanNode> {
  const [row] = await service.nest
    .get(Database)
    .write<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${text}`, values);
  return row!['QUERY PLAN'][0].Plan;
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
