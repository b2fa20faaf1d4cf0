import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';
import { messageOf } from './toasts.ts';

/** Shows the content of a query. Shows gray lines while it loads, and its error with a button to retry. */
export function QueryView<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <Skeleton />;
  return (
    <Notice tone="danger" title={messageOf(query.error)}>
      <Button size="small" className="mt-2" onClick={() => void query.refetch()}>
        {texts.app.retry}
      </Button>
    </Notice>
  );
}
