import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ShieldQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '../../../api/client.ts';
import { locale } from '../../../texts/language.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeText } from '../../../ui/code-text.tsx';
import { limitMarks } from '../../../ui/limit-marks.ts';
import type { CallQuestion } from '../runs/run.ts';

const labels = texts.approvals;

type Scope = 'once' | 'conversation' | 'always';

const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

/** Asks whether a tool call is allowed. Does not take the focus, since the user may be writing. */
export function ApprovalCard({ question }: { readonly question: CallQuestion }) {
  const { call_id: id, tool, provider_info: provider, annotations, expires_at } = question;
  const queries = useQueryClient();
  const [isSent, setSent] = useState(false);
  const titleId = useId();
  const { mutate } = useMutation({
    mutationFn: (body: { readonly approved: boolean; readonly scope: Scope }) =>
      call('post', '/api/v1/tool-calls/{call_id}/approval', { params: { call_id: id }, body }),
    onMutate: () => setSent(true),
    onError: () => setSent(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tool-approvals'] }),
  });
  const isPlugin = provider.type === 'plugin';
  const server = provider.plugin_id?.replace(/^mcp\//, '') ?? provider.server_label ?? '';
  const choice = (label: string, approved: boolean, scope: Scope) => (
    <Button
      variant={approved && scope === 'once' ? 'primary' : approved ? 'secondary' : 'danger'}
      disabled={isSent}
      onClick={() => mutate({ approved, scope })}
    >
      {label}
    </Button>
  );
  return (
    <section
      aria-labelledby={titleId}
      className="flex flex-col gap-2.5 rounded-xl border border-accent/60 bg-raised px-4 py-3 text-sm"
    >
      <p id={titleId} role="alert" className="flex items-start gap-2.5 font-medium wrap-anywhere">
        <ShieldQuestion size={17} aria-hidden className="mt-0.5 shrink-0 text-accent" />
        {labels.question({ tool: limitMarks(tool), server: limitMarks(server) })}
      </p>
      <p className="text-muted">{hintText(annotations)}</p>
      <CodeText text={JSON.stringify(question.arguments, null, 2)} label={labels.arguments} />
      <div className="flex flex-wrap gap-2">
        {choice(labels.once, true, 'once')}
        {choice(labels.conversation, true, 'conversation')}
        {isPlugin && choice(labels.always, true, 'always')}
        {choice(labels.refuse, false, 'once')}
        {isPlugin && choice(labels.never, false, 'always')}
      </div>
      <p className="text-xs text-muted">
        {labels.expires({ time: timeOfDay.format(new Date(expires_at)) })}
      </p>
    </section>
  );
}

function hintText(hints: CallQuestion['annotations']): string {
  const { readOnlyHint, destructiveHint, openWorldHint } = hints;
  const { destructive, readOnly, adding, unknown, open } = labels.hints;
  const change =
    destructiveHint === true
      ? destructive
      : readOnlyHint === true
        ? readOnly
        : destructiveHint === false
          ? adding
          : unknown;
  return openWorldHint === true ? `${change} ${open}` : change;
}
