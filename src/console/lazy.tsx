import type { ComponentType } from 'preact';
import { useLoad } from './load.js';
import type { PageProps } from './page.js';
import { text } from './text.js';
import { Await } from './ui/states.js';

/** Pages that few operators need cost nothing before they are opened. */
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
