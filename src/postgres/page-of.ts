import { type EntityManager, type EntityTarget, type FindOptionsWhere, LessThan } from 'typeorm';
import { type Page, pageFrom, type PageRequest } from '../kernel/paging.js';

/** Ids sort by time, so the cursor is a place in the order and needs no row of its own. */
export async function pageOf<E extends { readonly id: string }>(
  manager: EntityManager,
  target: EntityTarget<E>,
  where: FindOptionsWhere<E>,
  { limit, startingAfter }: PageRequest,
): Promise<Page<E>> {
  const rows = await manager.find(target, {
    where: { ...where, ...(startingAfter !== undefined && { id: LessThan(startingAfter) }) },
    order: { id: 'DESC' },
    take: limit + 1,
  } as Parameters<typeof manager.find<E>>[1]);
  return pageFrom(rows, limit);
}
