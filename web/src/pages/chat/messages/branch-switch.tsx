import { ChevronLeft, ChevronRight } from 'lucide-react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';

/** Buttons to switch between the branches that begin at a message. */
export function BranchSwitch({
  position,
  total,
  onChoose,
}: {
  /** Index of the shown branch, from 0. */
  readonly position: number;
  readonly total: number;
  readonly onChoose: (position: number) => void;
}) {
  if (total < 2) return null;
  const { chat } = texts;
  return (
    <div
      role="group"
      aria-label={chat.branches}
      className="flex items-center text-xs text-muted tabular-nums"
    >
      <IconButton
        icon={ChevronLeft}
        label={chat.previousBranch}
        size={15}
        className="!size-7"
        disabled={position <= 0}
        onClick={() => onChoose(position - 1)}
      />
      <span aria-live="polite">{`${position + 1}/${total}`}</span>
      <IconButton
        icon={ChevronRight}
        label={chat.nextBranch}
        size={15}
        className="!size-7"
        disabled={position >= total - 1}
        onClick={() => onChoose(position + 1)}
      />
    </div>
  );
}
