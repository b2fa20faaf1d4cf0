import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { BoundFields, toBounds, type BoundTexts } from './bound-fields.tsx';

const labels = developerTexts.tokens;

interface BoundToken {
  readonly id: string;
  readonly name: string;
  readonly requests_per_day: number | null;
  readonly tokens_per_day: number | null;
  readonly models: readonly string[] | null;
}

/** Changes how much a token may use in a day, and which models. */
export function ChangeTokenDialog({
  token,
  isOpen,
  onClose,
}: {
  readonly token: BoundToken;
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
  readonly token: BoundToken;
  readonly onClose: () => void;
}) {
  const { id } = token;
  const queries = useQueryClient();
  const [bounds, setBounds] = useState<BoundTexts>({
    requestsPerDay: String(token.requests_per_day ?? ''),
    tokensPerDay: String(token.tokens_per_day ?? ''),
    models: (token.models ?? []).join(', '),
  });
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call('patch', '/api/v1/tokens/{id}', { params: { id }, body: toBounds(bounds) }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
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
