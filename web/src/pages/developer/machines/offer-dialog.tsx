import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { CodeText } from '../../../ui/code-text.tsx';
import { formatTime } from '../../../ui/dates.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { messageOf } from '../../../ui/toasts.ts';
import { defaultPort, machinesQuery, withPort } from './machines-query.ts';

const labels = developerTexts.machines;
const askMs = 3000;

/** Shows a code for linking another machine, until a machine has used it. */
export function OfferDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={labels.offer} description={labels.offerHint}>
      {isOpen && <Offer />}
    </Dialog>
  );
}

function Offer() {
  const { mutate, data, error } = useMutation({
    mutationFn: () => call('post', '/api/v1/links/offers', {}),
    meta: { showsError: true },
    // The code is not cached.
    gcTime: 0,
  });
  useEffect(() => mutate(), [mutate]);
  const list = useQuery({ ...machinesQuery, refetchInterval: askMs });
  const [known] = useState(() => list.data?.from.map(({ token_id }) => token_id) ?? []);
  const added = list.data?.from.find(({ token_id }) => !known.includes(token_id));
  if (added !== undefined) return <Notice>{labels.offered({ name: added.name })}</Notice>;
  if (error !== null) return <Notice tone="danger">{messageOf(error)}</Notice>;
  if (data === undefined) return <Skeleton />;
  const { code, host, port, expires_at } = data;
  const address = host ?? labels.ownAddress;
  const machine = port === defaultPort ? address : withPort(address, port);
  return (
    <div className="flex flex-col gap-3 text-sm">
      <CodeText label={labels.code} text={code} />
      <p className="text-muted">
        {labels.offerUntil({ time: formatTime(expires_at), address, port: String(port) })}
      </p>
      <CodeText label={labels.command} text={`hearth link add ${machine} ${code}`} />
      <p className="text-xs text-muted">{labels.firewall({ port: String(port) })}</p>
    </div>
  );
}
