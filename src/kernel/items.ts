import { isRefusal } from './domain-error.js';

export type OnItem = <R>(index: number, work: () => Promise<R>) => Promise<R>;

export const onlyItem: OnItem = (_, work) => work();

/** A refusal names the item in its message, its fields and its member `item`. */
export const namedItem: OnItem = async (index, work) => {
  try {
    return await work();
  } catch (error) {
    throw ofItem(error, index);
  }
};

/** Items run at the same time. Throws the refusal of the first item that has one. */
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
  // The error stays an instance of its class, which decides its code and its consequences.
  return Object.create(error, {
    message: { value: `${name}: ${error.message}` },
    fields: { value: fields },
    details: { value: { ...error.details, item: index } },
  });
}
