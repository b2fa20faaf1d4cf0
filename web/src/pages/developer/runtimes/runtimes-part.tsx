import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RuntimeRecord } from '../../../../../src/api/v1/server/runtime-schema.ts';
import { call } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { InstallButton } from './install-button.tsx';

const labels = developerTexts.runtimes;

/** The installed and available runtimes. Administrators can choose, install and remove them. */
export function RuntimesPart() {
  const isAdmin = usePermissions()('admin');
  const query = useQuery({
    queryKey: ['runtimes'],
    queryFn: ({ signal }) => call('get', '/api/v1/runtimes', {}, { signal }),
  });
  const select = useSelectRuntime();
  const isSelected = query.data?.runtimes.some(({ selected }) => selected) === true;
  return (
    <Section
      title={labels.title}
      description={labels.description}
      actions={
        isAdmin && (
          <div className="flex flex-wrap gap-2">
            {isSelected && (
              <Button disabled={select.isPending} onClick={() => select.mutate({ name: null })}>
                {labels.automatic}
              </Button>
            )}
            <InstallButton />
          </div>
        )
      }
    >
      <QueryView query={query}>
        {({ runtimes }) =>
          runtimes.length === 0 ? (
            <p className="text-sm text-muted">{labels.empty}</p>
          ) : (
            <ul aria-label={labels.title} className="divide-y rounded-2xl border bg-raised">
              {runtimes.map((runtime) => (
                <RuntimeRow key={`${runtime.name} ${runtime.version}`} runtime={runtime} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}

function useSelectRuntime() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly name: string | null; readonly version?: string }) =>
      call('post', '/api/v1/runtimes/use', { body }),
    onSuccess: () => showToast(labels.next),
    onSettled: () => queries.invalidateQueries({ queryKey: ['runtimes'] }),
  });
}

function RuntimeRow({ runtime }: { readonly runtime: RuntimeRecord }) {
  const { name, version, source, path, active, selected, recommended, removable } = runtime;
  const title = `${name} ${version}`;
  const queries = useQueryClient();
  const isAdmin = usePermissions()('admin');
  const [isAsking, setAsking] = useState(false);
  const select = useSelectRuntime();
  const remove = useMutation({
    mutationFn: () =>
      call('delete', '/api/v1/runtimes/{name}/{version}', { params: { name, version } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['runtimes'] }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-1.5 text-sm font-medium">
          {title}
          {active && <Badge tone="ok">{labels.active}</Badge>}
          {selected && <Badge tone="accent">{labels.selected}</Badge>}
          {recommended && <Badge>{labels.recommended}</Badge>}
        </p>
        <p className="font-mono text-xs break-all text-muted">
          {`${labels.sources[source]} · ${path}`}
        </p>
      </div>
      {isAdmin && (
        <div className="flex gap-1.5">
          {!active && source !== 'setting' && (
            <Button
              size="small"
              aria-label={labels.chooseRuntime({ name: title })}
              disabled={select.isPending}
              onClick={() => select.mutate({ name, version })}
            >
              {labels.use}
            </Button>
          )}
          {removable && (
            <Button
              size="small"
              variant="danger"
              aria-label={labels.removeRuntime({ name: title })}
              onClick={() => setAsking(true)}
            >
              {labels.remove}
            </Button>
          )}
          <ConfirmDialog
            isOpen={isAsking}
            onClose={() => setAsking(false)}
            onConfirm={() => remove.mutate()}
            title={labels.removeTitle({ name: title })}
            description={labels.removeHint}
            action={labels.remove}
          />
        </div>
      )}
    </li>
  );
}
