import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { refreshMachines } from './machines-query.ts';

const labels = developerTexts.machines;

/** A linked machine, with a button to remove the links with it. */
export function MachineRow({
  name,
  badge,
  notice,
  children,
}: {
  readonly name: string;
  readonly badge?: ReactNode;
  readonly notice?: ReactNode;
  readonly children: ReactNode;
}) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('delete', '/api/v1/links/{name}', { params: { name } }),
    onSuccess: ({ revoked_there }) =>
      showToast(
        labels.removed({ name }),
        revoked_there === false ? labels.notRevoked({ name }) : undefined,
      ),
    onSettled: () => refreshMachines(queries),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-1.5 text-sm font-medium">
          {name}
          {badge}
        </p>
        <p className="text-xs wrap-anywhere text-muted">{children}</p>
      </div>
      <Button
        size="small"
        variant="danger"
        aria-label={labels.removeMachine({ name })}
        disabled={isPending}
        onClick={() => setAsking(true)}
      >
        {labels.remove}
      </Button>
      {notice !== undefined && <div className="basis-full">{notice}</div>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => mutate()}
        title={labels.removeTitle({ name })}
        description={labels.removeHint}
        action={labels.remove}
      />
    </li>
  );
}
