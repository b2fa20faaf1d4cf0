import { FolderInput, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { MoveDialog } from '../projects/move-dialog.tsx';

/** Actions for the selected conversations. */
export function SelectionBar({
  ids,
  onSelectAll,
  onDelete,
  onEnd,
}: {
  readonly ids: readonly string[];
  readonly onSelectAll: () => void;
  readonly onDelete: () => void;
  readonly onEnd: () => void;
}) {
  const labels = texts.chat.list;
  const [isMoving, setMoving] = useState(false);
  return (
    <div
      role="toolbar"
      aria-label={labels.selection}
      className="flex flex-wrap items-center gap-1 border-b px-3 pb-1.5 text-sm"
    >
      <span role="status" className="basis-full px-2 text-xs text-muted tabular-nums">
        {labels.selected({ conversations: ids.length })}
      </span>
      <Button size="small" variant="quiet" className="me-auto" onClick={onSelectAll}>
        {texts.app.selectAll}
      </Button>
      <IconButton
        icon={FolderInput}
        label={texts.chat.projects.move}
        size={16}
        disabled={ids.length === 0}
        onClick={() => setMoving(true)}
      />
      <IconButton
        icon={Trash2}
        label={texts.app.delete}
        size={16}
        disabled={ids.length === 0}
        className="!text-danger"
        onClick={onDelete}
      />
      <IconButton icon={X} label={texts.app.cancel} size={16} onClick={onEnd} />
      {isMoving && <MoveDialog ids={ids} onClose={() => setMoving(false)} onMoved={onEnd} />}
    </div>
  );
}
