import {
  ChevronDown,
  Ellipsis,
  FastForward,
  Pencil,
  RotateCcw,
  Trash2,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { texts } from '../../../texts/texts.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { readAloud, stopReading, useCanReadAloud, useIsReading } from './read-aloud.ts';
import { answerText, type Turn, type TurnViewProps } from './turn.ts';

/** True if the stored answer ends with text, which a model can continue. */
export function canContinue({ responseId, run, items }: Turn): boolean {
  const last = items.at(-1)?.type;
  return (
    responseId !== undefined && run === undefined && (last === 'message' || last === 'reasoning')
  );
}

/** Actions for an answer. */
export function AnswerActions({
  turn,
  models,
  isBusy,
  isComplete,
  onRetry,
  onContinue,
  onEdit,
  onDelete,
}: Pick<TurnViewProps, 'turn' | 'models' | 'isBusy' | 'onRetry' | 'onContinue' | 'onDelete'> & {
  /** False for an answer that was cut off: its note has a button to continue it. */
  readonly isComplete: boolean;
  readonly onEdit: () => void;
}) {
  const { chat } = texts;
  const others = models.filter(({ key }) => key !== turn.model);
  const isStored = turn.responseId !== undefined && turn.run === undefined;
  const canRead = useCanReadAloud() && turn.items.some(({ type }) => type === 'message');
  const isRead = useIsReading(turn.key);
  const canEdit = isStored && turn.items.some(({ type }) => type === 'message');
  return (
    <div className="-ms-2 flex">
      <CopyButton text={() => answerText(turn)} label={chat.copyMessage} className="!size-7" />
      <IconButton
        icon={RotateCcw}
        label={chat.retry}
        size={14}
        className="!size-7"
        disabled={isBusy}
        onClick={() => onRetry(turn)}
      />
      {others.length > 0 && (
        <Menu
          icon={ChevronDown}
          label={chat.retryWith}
          size={14}
          align="start"
          className="-ms-1 !h-7 !w-5"
          disabled={isBusy}
          items={others.map(({ key, name }) => ({
            id: key,
            label: name,
            onSelect: () => onRetry(turn, key),
          }))}
        />
      )}
      {canEdit && (
        <IconButton
          icon={Pencil}
          label={chat.editAnswer}
          size={14}
          className="!size-7"
          disabled={isBusy}
          onClick={onEdit}
        />
      )}
      {isComplete && canContinue(turn) && (
        <IconButton
          icon={FastForward}
          label={chat.continue}
          size={14}
          className="!size-7"
          disabled={isBusy}
          onClick={() => onContinue(turn)}
        />
      )}
      {canRead && (
        <IconButton
          icon={isRead ? VolumeX : Volume2}
          label={isRead ? chat.stopReading : chat.readAloud}
          size={14}
          className="!size-7"
          onClick={() => (isRead ? stopReading() : readAloud(turn.key, answerText(turn)))}
        />
      )}
      <Menu
        icon={Ellipsis}
        label={chat.more}
        size={15}
        align="start"
        className="!size-7"
        disabled={isBusy}
        items={[
          {
            label: chat.deleteTurn,
            icon: Trash2,
            isDanger: true,
            onSelect: () => onDelete(turn),
          },
        ]}
      />
    </div>
  );
}
