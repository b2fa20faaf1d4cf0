import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstallRuntimeEvent } from '../../../../../src/api/v1/server/runtime-schema.ts';
import { ApiError } from '../../../api/api-error.ts';
import { stream } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { showToast } from '../../../ui/toasts.ts';

const labels = developerTexts.runtimes;

/** Installs the recommended runtime and shows its progress. */
export function InstallButton() {
  const queries = useQueryClient();
  const [step, setStep] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      for await (const { data } of stream('post', '/api/v1/runtimes/install', {
        body: { stream: true },
      })) {
        applyEvent(JSON.parse(data) as InstallRuntimeEvent, setStep);
      }
    },
    onSettled: () => {
      setStep(undefined);
      return queries.invalidateQueries({ queryKey: ['runtimes'] });
    },
  });
  return (
    <div className="flex items-center gap-2">
      <span role="status" className="text-xs text-muted tabular-nums">
        {step}
      </span>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? labels.installing : labels.install}
      </Button>
    </div>
  );
}

function applyEvent(event: InstallRuntimeEvent, onStep: (step: string) => void): void {
  if (event.type === 'install.step') onStep(event.message);
  else if (event.type === 'install.progress') {
    const total = event.total_bytes === undefined ? '' : ` / ${formatBytes(event.total_bytes)}`;
    onStep(`${formatBytes(event.received_bytes)}${total}`);
  } else if (event.type === 'install.end') {
    showToast(labels.installed({ name: `${event.runtime.name} ${event.runtime.version}` }));
  } else {
    throw new ApiError({ status: 500, message: event.error.message, code: event.error.code });
  }
}
