import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { texts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';

const labels = texts.approvals;

/** The tools whose calls the user always or never allows, stored on the server. */
export function KeptApprovals() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['tool-approvals'],
    queryFn: ({ signal }) => call('get', '/api/v1/tool-approvals', {}, { signal }),
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (params: { readonly label: string; readonly tool: string }) =>
      call('delete', '/api/v1/tool-approvals/{label}/{tool}', { params }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tool-approvals'] }),
  });
  if (data === undefined) return null;
  const { approvals } = data;
  return (
    <section aria-label={labels.keptTitle} className="flex flex-col gap-2">
      <p className="text-sm font-medium">{labels.keptTitle}</p>
      <p className="text-xs text-muted">{approvals.length === 0 ? labels.none : labels.keptHint}</p>
      <ul className="flex flex-col gap-1">
        {approvals.map(({ label, tool, decision }) => (
          <li key={`${label} ${tool}`} className="flex items-center gap-2 text-sm">
            <Badge tone={decision === 'always' ? 'ok' : 'danger'}>
              {labels.decisions[decision]}
            </Badge>
            <span className="min-w-0 flex-1 truncate">
              {tool} <span className="text-muted">{label}</span>
            </span>
            <Button
              size="small"
              aria-label={labels.askAgain({ tool, server: label })}
              disabled={isPending}
              onClick={() => mutate({ label, tool })}
            >
              {labels.askAgainShort}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
