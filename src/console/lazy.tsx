import type { ComponentType } from 'preact';
import { useLoad } from './load.js';
import type { PageProps } from './page.js';
import { text } from './text.js';
import { Await } from './ui/states.js';

/** A view whose code loads when it is opened for the first time: pages that few operators need cost nothing before. */
export function lazily(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
  return function Lazy(props) {
    const loaded = useLoad(
      () =>
        load().catch(() => {
          throw new Error(text.errors.outdated);
        }),
      [],
    );
    return <Await loaded={loaded}>{(View) => <View {...props} />}</Await>;
  };
}
