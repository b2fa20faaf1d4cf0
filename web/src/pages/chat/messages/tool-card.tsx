import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { FoldedCard } from '../../../ui/folded-card.tsx';
import { limitMarks } from '../../../ui/limit-marks.ts';
import type { RunItem } from '../runs/run.ts';

const ApprovalCard = lazy(async () => ({
  default: (await import('./approval-card.tsx')).ApprovalCard,
}));

type ToolItem = Exclude<RunItem, { type: 'message' | 'reasoning' }>;

/** Longer results are cut off, so that a tool can't slow down the page. */
const maxShown = 20_000;

/** A tool call with its arguments and result, in a folded card. */
export function ToolCard({ item }: { readonly item: ToolItem }) {
  const labels = texts.chat.tool;
  switch (item.type) {
    case 'running_tool_call':
      if (item.question !== undefined) {
        return (
          <Suspense>
            <ApprovalCard key={item.question.call_id} question={item.question} />
          </Suspense>
        );
      }
      return (
        <Card state="running" title={labels.running({ name: item.tool })}>
          <Section title={labels.arguments}>{toJson(item.arguments)}</Section>
          <p className="text-muted">{labels.waiting}</p>
        </Card>
      );
    case 'tool_call': {
      const isError = item.is_error === true;
      return (
        <Card
          state={isError ? 'failed' : 'done'}
          title={isError ? labels.failed({ name: item.tool }) : labels.done({ name: item.tool })}
          note={item.provider_info.plugin_id ?? item.provider_info.server_label}
        >
          <Section title={labels.arguments}>{toJson(item.arguments)}</Section>
          <Section title={isError ? labels.error : labels.result}>
            <Output text={item.output} />
          </Section>
        </Card>
      );
    }
    case 'invalid_tool_call':
      return (
        <Card
          state="failed"
          title={
            item.metadata.is_denied === true
              ? labels.denied({ name: item.metadata.tool_name })
              : labels.invalid
          }
          note={item.metadata.is_denied === true ? undefined : item.metadata.tool_name}
        >
          <p className="text-danger">{item.reason}</p>
          {item.metadata.arguments !== undefined && (
            <Section title={labels.arguments}>{toJson(item.metadata.arguments)}</Section>
          )}
        </Card>
      );
    case 'function_call':
      return (
        <Card state="done" title={labels.done({ name: item.name })}>
          <Section title={labels.arguments}>{cut(item.arguments)}</Section>
        </Card>
      );
  }
}

function Card({
  state,
  title,
  note,
  children,
}: {
  readonly state: 'running' | 'done' | 'failed';
  readonly title: string;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}) {
  const Icon = { running: LoaderCircle, done: CircleCheck, failed: CircleAlert }[state];
  return (
    <FoldedCard
      title={title}
      note={note}
      isOpenAtFirst={state === 'failed'}
      className={state === 'failed' && 'border-danger/40'}
      icon={
        <Icon
          size={16}
          aria-hidden
          className={classNames(
            'shrink-0',
            state === 'running' && 'animate-spin text-accent',
            state === 'done' && 'text-ok',
            state === 'failed' && 'text-danger',
          )}
        />
      }
    >
      <div className="flex flex-col gap-2.5">{children}</div>
    </FoldedCard>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-muted">{title}</p>
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-lg bg-code p-2.5 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {children}
      </pre>
    </div>
  );
}

/** A separate component, so that the output is parsed only when the card is open. */
function Output({ text }: { readonly text: string }) {
  return useMemo(() => toResult(text), [text]);
}

function toJson(value: unknown): string {
  return cut(value === undefined ? '' : JSON.stringify(value, null, 2));
}

/** The output is JSON of content blocks; text blocks are shown as text. */
function toResult(output: string): string {
  try {
    const blocks: unknown = JSON.parse(output);
    if (!Array.isArray(blocks)) return toJson(blocks);
    const shown = blocks.map((block: { readonly type?: unknown; readonly text?: unknown }) =>
      block.type === 'text' && typeof block.text === 'string'
        ? block.text
        : JSON.stringify(block, null, 2),
    );
    return cut(shown.join('\n\n'));
  } catch {
    return cut(output);
  }
}

function cut(text: string): string {
  return limitMarks(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}
