import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { formatDateTime } from '../../../ui/dates.ts';
import { formatNumber } from '../../../ui/numbers.ts';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ChangeTokenDialog } from './change-token-dialog.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { separated } from '../../../ui/separated.ts';
import { tokensQuery, type TokenRecord } from './tokens-query.ts';

const labels = developerTexts.tokens;

/** API tokens. */
export function TokensPart() {
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(tokensQuery);
  return (
    <div className="flex flex-col gap-8">
      <Section
        title={labels.title}
        description={labels.description}
        actions={
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus size={16} aria-hidden />
            {labels.create}
          </Button>
        }
      >
        <QueryView query={query}>
          {({ tokens }) =>
            tokens.length === 0 ? (
              <p className="text-sm text-muted">{labels.empty}</p>
            ) : (
              <ul aria-label={labels.title} className="divide-y rounded-2xl border bg-raised">
                {tokens.map((token) => (
                  <TokenRow key={token.id} token={token} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Section>
      <CreateTokenDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </div>
  );
}

function TokenRow({ token }: { readonly token: TokenRecord }) {
  const { id, name, permissions, created_at, expires_at, last_used_at } = token;
  const { requests_per_day: requests, tokens_per_day: tokens, models, priority } = token;
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const { mutate } = useMutation({
    mutationFn: () => call('delete', '/api/v1/tokens/{id}', { params: { id } }),
    onSettled: () => queries.invalidateQueries(tokensQuery),
  });
  const times = [
    labels.createdAt({ time: formatDateTime(created_at) }),
    last_used_at === null ? labels.never : labels.used({ time: formatDateTime(last_used_at) }),
    ...(expires_at === null ? [] : [labels.expiresAt({ time: formatDateTime(expires_at) })]),
  ];
  const bounds = [
    ...(requests === null ? [] : [labels.requestsADay({ requests })]),
    ...(tokens === null ? [] : [labels.tokensADay({ tokens: formatNumber(tokens) })]),
    ...(models === null ? [] : [labels.ofModels({ models: models.join(', ') || '–' })]),
    ...(priority === 'normal'
      ? []
      : [labels.ofPriority({ priority: labels.priorities[priority] })]),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-1.5 text-sm font-medium">
          <span className="break-words">{name}</span>
          {permissions.map((permission) => (
            <Badge key={permission} tone={permission === 'admin' ? 'accent' : 'plain'}>
              {permission}
            </Badge>
          ))}
        </p>
        <p className="text-xs text-muted">{separated([id, ...times])}</p>
        {bounds.length > 0 && <p className="text-xs break-words text-muted">{separated(bounds)}</p>}
      </div>
      <Button
        size="small"
        aria-label={labels.changeToken({ name })}
        onClick={() => setChanging(true)}
      >
        {labels.change}
      </Button>
      <Button
        size="small"
        variant="danger"
        aria-label={labels.revokeToken({ name })}
        onClick={() => setAsking(true)}
      >
        {labels.revoke}
      </Button>
      <ChangeTokenDialog token={token} isOpen={isChanging} onClose={() => setChanging(false)} />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => mutate()}
        title={labels.revokeTitle({ name })}
        description={labels.revokeHint}
        action={labels.revoke}
      />
    </li>
  );
}
