import { useLocation } from 'preact-iso';
import { text } from '../text.js';
import { Page } from '../ui/states.js';

export function NotFoundPage() {
  const { path } = useLocation();
  return (
    <Page title={text.notFound.title} intro={text.notFound.body}>
      <p>
        <code>{path}</code>
      </p>
    </Page>
  );
}
