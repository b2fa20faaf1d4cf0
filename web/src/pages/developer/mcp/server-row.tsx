import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { McpServerRecord } from '../../../../../src/api/v1/tools/mcp-server-schema.ts';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { messageOf } from '../../../ui/toasts.ts';
import { ToolList } from './tool-list.tsx';

const labels = developerTexts.mcp;
const tones = { process: 'plain', http: 'plain', built_in: 'accent', faulty: 'danger' } as const;

/** An MCP server. Its test connects to it and lists its tools. */
export function ServerRow({
  server,
  onEdit,
}: {
  readonly server: McpServerRecord;
  readonly onEdit: () => void;
}) {
  const { label, id, type, fault } = server;
  const test = useMutation({
    mutationFn: () => call('post', '/api/v1/mcp/servers/{label}/test', { params: { label } }),
    meta: { showsError: true },
  });
  return (
    <li className="rounded-2xl border bg-raised">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex items-center gap-2 text-[15px] font-semibold">
            {label}
            <Badge tone={tones[type]}>{labels.types[type]}</Badge>
            {test.data !== undefined && (
              <Badge tone="ok">{labels.tools({ tools: test.data.tools.length })}</Badge>
            )}
          </p>
          <p className="mt-0.5 font-mono text-xs wrap-anywhere text-muted">
            {server.url ?? [server.command, ...(server.args ?? [])].filter(Boolean).join(' ')}
            {type === 'built_in' && id}
          </p>
        </div>
        <div className="flex gap-1.5">
          {type !== 'faulty' && (
            <Button
              size="small"
              aria-label={labels.testServer({ label })}
              disabled={test.isPending}
              onClick={() => test.mutate()}
            >
              {test.isPending ? labels.testing : labels.test}
            </Button>
          )}
          {type !== 'built_in' && <EntryActions label={label} onEdit={onEdit} />}
        </div>
      </div>
      {(fault !== undefined || test.error !== null) && (
        <div className="px-4 pb-3">
          <Notice tone="danger">{fault ?? messageOf(test.error)}</Notice>
        </div>
      )}
      {test.data !== undefined && <ToolList label={label} tools={test.data.tools} />}
    </li>
  );
}

function EntryActions({ label, onEdit }: { readonly label: string; readonly onEdit: () => void }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { mutate } = useMutation({
    mutationFn: () => call('delete', '/api/v1/mcp/servers/{label}', { params: { label } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mcp-servers'] }),
  });
  return (
    <>
      <Button size="small" aria-label={labels.editServer({ label })} onClick={onEdit}>
        {labels.edit}
      </Button>
      <Button
        size="small"
        variant="danger"
        aria-label={labels.removeServer({ label })}
        onClick={() => setAsking(true)}
      >
        {labels.remove}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => mutate()}
        title={labels.removeTitle({ label })}
        description={labels.removeHint}
        action={labels.remove}
      />
    </>
  );
}
