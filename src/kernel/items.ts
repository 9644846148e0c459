import { isRefusal } from './domain-error.js';

/** Runs the work on one item of a request. */
export type OnItem = <R>(index: number, work: () => Promise<R>) => Promise<R>;

/** The only item of a request, which needs no name. */
export const onlyItem: OnItem = (_, work) => work();

/** One of several items: a refusal names it in its message, its fields and its member `item`. */
export const namedItem: OnItem = async (index, work) => {
  try {
    return await work();
  } catch (error) {
    throw ofItem(error, index);
  }
};

/** Runs the work on all items at the same time. Of several refusals it throws that of the first item. */
export async function onEachItem<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = await Promise.allSettled(items.map(work));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

function ofItem(error: unknown, index: number): unknown {
  if (!isRefusal(error)) return error;
  const name = `items[${index}]`;
  const fields = error.fields?.map((each) => ({ ...each, field: `${name}.${each.field}` }));
  // It stays an instance of the refusal's class, which decides its code and its consequences.
  return Object.create(error, {
    message: { value: `${name}: ${error.message}` },
    fields: { value: fields },
    details: { value: { ...error.details, item: index } },
  });
}
