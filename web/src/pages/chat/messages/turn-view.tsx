import { Pencil, TriangleAlert } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { useStore } from '../../../api/store.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { errorText } from '../../../ui/error-text.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { LongText } from '../../../ui/long-text.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { TextWithCode } from '../../../ui/text-with-code.tsx';
import { answerNotes, type Failure } from '../runs/answer-notes.ts';
import type { Run, RunItem } from '../runs/run.ts';
import { citedPassages } from '../documents/document-part.ts';
import { AnswerActions, canContinue } from './answer-actions.tsx';
import { BranchSwitch } from './branch-switch.tsx';
import { DocumentCard, Sources } from './document-card.tsx';
import { EditMessage } from './edit-message.tsx';
import { messageParts, withText } from './message-parts.ts';
import { Reasoning } from './reasoning.tsx';
import { Stats } from './stats.tsx';
import { MessageMedia } from './message-media.tsx';
import { ToolCard } from './tool-card.tsx';
import { answerText, type Turn, type TurnViewProps } from './turn.ts';

/** A message and its answer. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-3 md:px-6">
      <UserMessage {...props} />
      <Answer {...props} />
    </div>
  );
});

function UserMessage({ turn, position, total, isBusy, onEdit, onChooseBranch }: TurnViewProps) {
  const [isEditing, setEditing] = useState(false);
  const { media, documents, text } = useMemo(() => messageParts(turn.input), [turn.input]);
  if (isEditing) {
    return (
      <EditMessage
        text={text}
        label={texts.chat.edit}
        hint={texts.chat.editHint}
        action={texts.chat.send}
        onCancel={() => setEditing(false)}
        onSend={(edited) => {
          setEditing(false);
          onEdit(turn, withText(turn.input, edited));
        }}
      />
    );
  }
  return (
    <article aria-label={texts.chat.you} className="group flex flex-col items-end gap-1">
      {media.length > 0 && (
        <div className="flex max-w-[85%] flex-wrap justify-end gap-2">
          {media.map((part, index) => (
            <MessageMedia key={index} part={part} />
          ))}
        </div>
      )}
      {documents.map((document, index) => (
        <DocumentCard key={index} document={document} />
      ))}
      {text !== '' && (
        <p
          dir="auto"
          className="max-w-[85%] rounded-2xl rounded-ee-md bg-hover px-4 py-2.5 break-words whitespace-pre-wrap"
        >
          <LongText text={text} />
        </p>
      )}
      <div className="flex items-center gap-0.5 md:opacity-0 md:transition-opacity md:group-focus-within:opacity-100 md:group-hover:opacity-100 [&:has([role=group])]:opacity-100">
        <BranchSwitch
          position={position}
          total={total}
          onChoose={(chosen) => onChooseBranch(turn, chosen)}
        />
        <IconButton
          icon={Pencil}
          label={texts.chat.edit}
          size={14}
          className="!size-7"
          disabled={isBusy}
          onClick={() => setEditing(true)}
        />
        <CopyButton text={text} label={texts.chat.copyMessage} className="!size-7" />
      </div>
    </article>
  );
}

function Answer(props: TurnViewProps) {
  const { turn, contextLength, modelName, isBusy } = props;
  const { run, items, stats, responseId } = turn;
  const [isEditing, setEditing] = useState(false);
  const editedIndex = isEditing ? items.findLastIndex(({ type }) => type === 'message') : -1;
  const note = useStore(answerNotes)[responseId ?? ''];
  const seconds = run?.reasoningSeconds ?? note?.reasoningSeconds ?? [];
  const failure =
    run?.error === undefined ? note?.failure : { message: run.error, code: run.errorCode };
  const isRunning = run !== undefined && run.phase.kind !== 'ended';
  const cutNote = whyCut(turn);
  return (
    <article
      aria-label={texts.chat.assistant}
      aria-busy={isRunning}
      className="mt-5 flex flex-col gap-3"
    >
      {modelName !== '' && (
        <p className="-mb-1 truncate text-xs font-medium text-muted">{modelName}</p>
      )}
      {items.map((item, index) =>
        index === editedIndex && item.type === 'message' ? (
          <EditMessage
            key={index}
            text={item.content}
            label={texts.chat.editAnswer}
            hint={texts.chat.editAnswerHint}
            action={texts.app.save}
            isLong
            onCancel={() => setEditing(false)}
            onSend={(text) => {
              setEditing(false);
              if (text !== item.content) props.onEditAnswer(turn, text);
            }}
          />
        ) : (
          <ItemView
            key={index}
            item={item}
            isOpen={isRunning && index === items.length - 1}
            reasoningSeconds={seconds[reasoningBefore(items, index)]}
          />
        ),
      )}
      {!isRunning && <Sources passages={citedBy(turn)} />}
      {failure !== undefined && <FailureNote failure={failure} />}
      {failure === undefined && run !== undefined && <RunState run={run} />}
      {!isRunning && cutNote !== undefined && (
        <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
          <TriangleAlert size={15} aria-hidden className="text-warn" />
          <p>{cutNote}</p>
          {canContinue(turn) && (
            <Button size="small" disabled={isBusy} onClick={() => props.onContinue(turn)}>
              {texts.chat.continue}
            </Button>
          )}
        </div>
      )}
      {!isRunning && (
        <footer className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <AnswerActions
            {...props}
            isComplete={cutNote === undefined}
            onEdit={() => setEditing(true)}
          />
          {stats !== undefined && stats.total_output_tokens > 0 && (
            <Stats stats={stats} contextLength={contextLength} />
          )}
        </footer>
      )}
    </article>
  );
}

/** Number of reasoning blocks before an item. */
function reasoningBefore(items: readonly RunItem[], index: number): number {
  return items.slice(0, index).filter(({ type }) => type === 'reasoning').length;
}

/** The reason why an answer is incomplete; undefined if it is complete. */
function whyCut({ isInterrupted, run, stats }: Turn): string | undefined {
  const { interrupted, cut } = texts.chat;
  if (isInterrupted || run?.isCancelled === true) return interrupted;
  const reason = stats?.stop_reason;
  return reason !== undefined && reason in cut ? cut[reason as keyof typeof cut] : undefined;
}

function citedBy(turn: Turn) {
  const passages = messageParts(turn.input).documents.flatMap((each) =>
    each.kind === 'passages' ? each.passages : [],
  );
  return citedPassages(passages, answerText(turn));
}

function ItemView({
  item,
  isOpen,
  reasoningSeconds: seconds,
}: {
  readonly item: RunItem;
  readonly isOpen: boolean;
  readonly reasoningSeconds: number | undefined;
}) {
  switch (item.type) {
    case 'message':
      return <Markdown text={item.content} isOpen={isOpen} />;
    case 'reasoning':
      return <Reasoning text={item.content} isOpen={isOpen} seconds={seconds} />;
    default:
      return <ToolCard key={item.type} item={item} />;
  }
}

/** The error that ended an answer. */
function FailureNote({ failure }: { readonly failure: Failure }) {
  return (
    <p
      role="alert"
      className="rounded-xl border border-danger/40 bg-danger-soft px-4 py-2.5 text-sm text-danger"
    >
      <TextWithCode text={errorText(failure)} />
    </p>
  );
}

/** State of a run before the first text arrives. */
function RunState({ run: { phase, items } }: { readonly run: Run }) {
  if (phase.kind === 'ended' || (phase.kind === 'writing' && items.length > 0)) return null;
  const progress = 'progress' in phase ? phase.progress : undefined;
  return (
    <p role="status" className="flex items-center gap-3 text-sm text-muted">
      <span className="flex gap-1" aria-hidden>
        {[0, 1, 2].map((dot) => (
          <span
            key={dot}
            className={`size-1.5 animate-bounce rounded-full bg-accent ${delays[dot]}`}
          />
        ))}
      </span>
      {phaseText(phase)}
      {progress !== undefined && progress > 0 && (
        <span className="tabular-nums">{Math.round(progress * 100)} %</span>
      )}
    </p>
  );
}

function phaseText(phase: Exclude<Run['phase'], { readonly kind: 'ended' }>): string {
  const labels = texts.chat.phases;
  if (phase.kind === 'queued') return labels.queued({ position: phase.position });
  return phase.kind === 'writing' ? labels.prompt : labels[phase.kind];
}

const delays: Readonly<Record<number, string>> = {
  0: '',
  1: '[animation-delay:120ms]',
  2: '[animation-delay:240ms]',
};
