import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { access } from '../../../api/access.ts';
import { call } from '../../../api/client.ts';
import { sessionQuery } from '../../../api/queries.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { formatDateTime } from '../../../ui/dates.ts';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { separated } from '../../../ui/separated.ts';

const labels = developerTexts.tokens;

/** The tabs that `hearth open` opened; revoking that of this tab signs it out. */
export function SessionList() {
  const queries = useQueryClient();
  const { data: current } = useQuery(sessionQuery);
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call('get', '/api/v1/sessions', {}, { signal }),
  });
  const { mutate } = useMutation({
    mutationFn: (id: string) => call('delete', '/api/v1/sessions/{id}', { params: { id } }),
    onSuccess: ({ id }) => {
      if (id === current?.id) {
        access.signOut();
        void queries.resetQueries();
      } else void queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Section title={labels.sessions} description={labels.sessionsHint}>
      <QueryView query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <p className="text-sm text-muted">{labels.noSessions}</p>
          ) : (
            <ul aria-label={labels.sessions} className="divide-y rounded-2xl border bg-raised">
              {sessions.map(({ id, created_at, last_used_at }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                  <div className="min-w-0 flex-1 basis-64">
                    <p className="flex items-center gap-1.5 font-mono text-sm">
                      {id}
                      {id === current?.id && <Badge tone="accent">{labels.thisSession}</Badge>}
                    </p>
                    <p className="text-xs text-muted">
                      {separated([
                        labels.createdAt({ time: formatDateTime(created_at) }),
                        labels.used({ time: formatDateTime(last_used_at) }),
                      ])}
                    </p>
                  </div>
                  <Button
                    size="small"
                    variant="danger"
                    aria-label={labels.revokeToken({ name: labels.session({ id }) })}
                    onClick={() => mutate(id)}
                  >
                    {labels.revoke}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}
