import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../../api/queries.ts';
import { isSignInOpen } from '../../shell/layout-state.ts';
import { developerTexts } from '../../texts/developer.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { QueryView } from '../../ui/query-view.tsx';

const labels = developerTexts.needsAdmin;

/** Shows its content to administrators. Tells all others how to become one. */
export function AdminOnly({ children }: { readonly children: ReactNode }) {
  const query = useQuery(sessionQuery);
  return (
    <QueryView query={query}>
      {({ permissions, type }) =>
        permissions.includes('admin') ? (
          children
        ) : (
          <section
            aria-label={labels.title}
            className="mx-auto flex w-full max-w-lg flex-col gap-3 rounded-2xl border bg-raised p-6"
          >
            <h2 className="text-base font-semibold">{labels.title}</h2>
            <p className="text-sm text-muted">{`${labels.identity[type]} ${labels.explanation}`}</p>
            <CodeText text="hearth open" />
            <p className="text-sm text-muted">{labels.overSsh}</p>
            <CodeText text="hearth open --no-browser" />
            <Button className="self-start" onClick={() => isSignInOpen.set(true)}>
              {texts.token.signIn}
            </Button>
          </section>
        )
      }
    </QueryView>
  );
}
