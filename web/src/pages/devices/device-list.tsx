import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { signOut } from '../../api/sign-in.ts';
import { devicesTexts } from '../../texts/devices.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatDateTime } from '../../ui/dates.ts';
import { Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { separated } from '../../ui/separated.ts';
import { deviceName, devicesQuery, type Device } from './devices-query.ts';

/** The signed-in browsers. An administrator sees the browsers of all tokens. */
export function DeviceList() {
  const query = useQuery(devicesQuery);
  const isAnyOther = query.data?.sessions.some(({ is_current }) => !is_current) ?? false;
  return (
    <Section title={devicesTexts.list} actions={isAnyOther && <SignOutOthers />}>
      <QueryView query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <p className="text-sm text-muted">{devicesTexts.empty}</p>
          ) : (
            <ul aria-label={devicesTexts.list} className="divide-y rounded-2xl border bg-raised">
              {sessions.map((device) => (
                <DeviceRow key={device.id} device={device} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}

function SignOutOthers() {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { mutate } = useMutation({
    mutationFn: () => call('delete', '/api/v1/sessions', { query: { keep: 'current' } }),
    onSettled: () => queries.invalidateQueries(devicesQuery),
  });
  return (
    <>
      <Button size="small" variant="danger" onClick={() => setAsking(true)}>
        {devicesTexts.signOutOthers}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => mutate()}
        title={devicesTexts.signOutOthersTitle}
        description={devicesTexts.signOutOthersHint}
        action={devicesTexts.signOutOthers}
      />
    </>
  );
}

function DeviceRow({ device }: { readonly device: Device }) {
  const { id, token_name, address, created_at, last_used_at, is_current } = device;
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: async () => {
      if (is_current) await signOut();
      else await call('delete', '/api/v1/sessions/{id}', { params: { id } });
    },
    onSettled: () => queries.invalidateQueries(devicesQuery),
  });
  const name = deviceName(device);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-1.5 text-sm font-medium">
          {name}
          {is_current && <Badge tone="accent">{devicesTexts.thisDevice}</Badge>}
        </p>
        <p className="text-xs break-words text-muted">
          {separated([
            token_name === null ? devicesTexts.ofOwner : devicesTexts.ofToken({ name: token_name }),
            devicesTexts.signedIn({ time: formatDateTime(created_at) }),
            devicesTexts.used({ time: formatDateTime(last_used_at) }),
            ...(address === '' ? [] : [devicesTexts.from({ address })]),
          ])}
        </p>
      </div>
      <Button
        size="small"
        variant="danger"
        aria-label={devicesTexts.signOutDevice({ device: name })}
        onClick={() => mutate()}
      >
        {devicesTexts.signOut}
      </Button>
    </li>
  );
}
