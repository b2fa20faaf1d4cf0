import { useMutation } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import type { InputPart } from '../conversations/conversation-queries.ts';
import type { Turn } from '../messages/turn.ts';
import type { ConversationSettings } from '../settings/conversation-settings.ts';
import { summarize } from './summarize.ts';

/** Offers ways to continue when a conversation fills the context. */
export function ContextNotice({
  usedTokens,
  contextLength,
  turns,
  settings,
  isBusy,
  onChange,
  onContinue,
}: {
  readonly usedTokens: number;
  readonly contextLength: number;
  readonly turns: readonly Turn[];
  readonly settings: ConversationSettings;
  readonly isBusy: boolean;
  readonly onChange: (settings: ConversationSettings) => void;
  /** Sends a message after a response, or as another beginning of the conversation if the id is null. */
  readonly onContinue: (previousId: string | null, parts: readonly InputPart[]) => void;
}) {
  const summary = useMutation({
    mutationFn: () => summarize(turns, settings, contextLength - usedTokens),
    onSuccess: (text) =>
      onContinue(null, [
        { type: 'text', content: texts.context.summaryMessage({ summary: text }) },
      ]),
  });
  const filled = Math.min(1, usedTokens / contextLength);
  const drops = settings.dropsOldTurns === true;
  return (
    <section
      aria-label={texts.context.title}
      className="mx-auto mb-3 flex w-full max-w-3xl flex-wrap items-center gap-x-3 gap-y-2 px-4 text-sm md:px-7"
    >
      <p role="status" className="min-w-56 flex-1 text-warn">
        {drops ? texts.context.dropping({ filled }) : texts.context.full({ filled })}
      </p>
      {!drops && (
        <Button size="small" onClick={() => onChange({ ...settings, dropsOldTurns: true })}>
          {texts.context.drop}
        </Button>
      )}
      <Button size="small" disabled={isBusy || summary.isPending} onClick={() => summary.mutate()}>
        {summary.isPending && <LoaderCircle size={14} aria-hidden className="animate-spin" />}
        {texts.context.summarize}
      </Button>
    </section>
  );
}
