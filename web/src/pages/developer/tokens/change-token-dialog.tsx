import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { BoundFields } from './bound-fields.tsx';
import { changedBounds, type BoundTexts } from './bounds.ts';
import { tokensQuery, type TokenRecord } from './tokens-query.ts';

const labels = developerTexts.tokens;

/** Changes a token's limits per day and its models. */
export function ChangeTokenDialog({
  token,
  isOpen,
  onClose,
}: {
  readonly token: TokenRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={labels.changeToken({ name: token.name })}>
      {isOpen && <ChangeToken token={token} onClose={onClose} />}
    </Dialog>
  );
}

function ChangeToken({
  token,
  onClose,
}: {
  readonly token: TokenRecord;
  readonly onClose: () => void;
}) {
  const { id } = token;
  const queries = useQueryClient();
  const [before] = useState<BoundTexts>({
    requestsPerDay: String(token.requests_per_day ?? ''),
    tokensPerDay: String(token.tokens_per_day ?? ''),
    models: (token.models ?? []).join(', '),
    priority: token.priority,
  });
  const [bounds, setBounds] = useState(before);
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call('patch', '/api/v1/tokens/{id}', { params: { id }, body: changedBounds(before, bounds) }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(tokensQuery),
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <BoundFields bounds={bounds} onChange={setBounds} />
      <Button type="submit" variant="primary" className="self-end" disabled={isPending}>
        {texts.app.save}
      </Button>
    </form>
  );
}
