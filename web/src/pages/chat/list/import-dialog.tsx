import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { streamUrl } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { ResultOf, RouteOf } from '../../../api/routes.ts';
import { projectsTexts } from '../../../texts/projects.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { errorText } from '../../../ui/error-text.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { conversationsKey } from '../conversations/conversation-queries.ts';

type ImportRoute = RouteOf<'post', '/api/v1/conversations/imports'>;
type Report = ResultOf<ImportRoute>;
type ImportEvent =
  | { readonly type: 'import.progress'; readonly progress: number }
  | { readonly type: 'import.end'; readonly result: Report }
  | { readonly type: 'error'; readonly error: { readonly message: string; readonly code: string } };

/** Previews and imports the export of an app. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [report, setReport] = useState<Report>();
  const [progress, setProgress] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const aborting = useRef(new AbortController());
  useEffect(() => () => aborting.current.abort(), []);
  const navigate = useNavigate();
  const labels = projectsTexts.import;

  const run = async (chosen: File, isDryRun: boolean) => {
    setProblem(undefined);
    setProgress(0);
    try {
      const { signal } = aborting.current;
      setReport(await importFile(chosen, { isDryRun, signal, onProgress: setProgress }));
    } catch (error) {
      if (aborting.current.signal.aborted) return;
      setProblem(errorText(error as Error));
    } finally {
      setProgress(undefined);
      if (!isDryRun) await queryClient.invalidateQueries({ queryKey: conversationsKey });
    }
  };
  const first = report?.conversations[0]?.conversation_id;
  return (
    <Dialog isOpen onClose={onClose} title={labels.title} description={labels.description}>
      <div className="flex flex-col gap-3 text-sm">
        <input
          ref={input}
          type="file"
          accept=".json,.zip,application/json,application/zip"
          hidden
          aria-label={labels.choose}
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            target.value = '';
            if (chosen === undefined) return;
            setFile(chosen);
            setReport(undefined);
            void run(chosen, true);
          }}
        />
        {file !== undefined && (
          <p dir="auto" className="truncate font-medium">
            {file.name}
          </p>
        )}
        {progress !== undefined && (
          <ProgressBar label={labels.progress} fraction={progress === 0 ? undefined : progress} />
        )}
        {problem !== undefined && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
        {report !== undefined && <ReportView report={report} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={progress !== undefined} onClick={() => input.current?.click()}>
            <FileUp size={15} aria-hidden />
            {labels.choose}
          </Button>
          {file !== undefined && report?.dry_run === true && (
            <Button
              variant="primary"
              disabled={progress !== undefined || report.conversation_count === 0}
              onClick={() => void run(file, false)}
            >
              {labels.start}
            </Button>
          )}
          {first !== undefined && (
            <Button
              variant="primary"
              onClick={() => {
                onClose();
                void navigate({ to: '/chat/$conversationId', params: { conversationId: first } });
              }}
            >
              {labels.open}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function ReportView({ report }: { readonly report: Report }) {
  const labels = projectsTexts.import;
  const { conversation_count: chats, response_count: answers, left_out: leftOut } = report;
  const leftOutCount = leftOut.images + leftOut.files + leftOut.parts;
  return (
    <div role="status" className="flex flex-col gap-1">
      <p>{report.dry_run ? labels.found({ chats, answers }) : labels.done({ chats, answers })}</p>
      {report.present_count > 0 && <p>{labels.present({ chats: report.present_count })}</p>}
      {leftOutCount > 0 && <p className="text-muted">{labels.leftOut(leftOut)}</p>}
      {report.skipped_count > 0 && (
        <details>
          <summary className="cursor-pointer">
            {labels.skipped({ chats: report.skipped_count })}
          </summary>
          <ul className="max-h-40 list-disc overflow-y-auto ps-5 text-muted">
            {report.skipped.map(({ title, reason }, index) => (
              <li key={`${index} ${title}`} dir="auto">
                {title || texts.chat.untitled}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

async function importFile(
  file: File,
  {
    isDryRun,
    signal,
    onProgress,
  }: {
    readonly isDryRun: boolean;
    readonly signal: AbortSignal;
    readonly onProgress: (progress: number) => void;
  },
): Promise<Report> {
  const url = `/api/v1/conversations/imports?stream=true${isDryRun ? '&dry_run=true' : ''}`;
  const headers = { 'content-type': 'application/octet-stream' };
  for await (const { data } of streamUrl('post', url, { body: file }, { signal, headers })) {
    const event = JSON.parse(data) as ImportEvent;
    if (event.type === 'import.end') return event.result;
    if (event.type === 'import.progress') onProgress(event.progress);
    else throw new ApiError({ status: 400, param: undefined, ...event.error });
  }
  throw new Error(projectsTexts.import.brokenOff);
}
