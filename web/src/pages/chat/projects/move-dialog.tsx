import { useQuery } from '@tanstack/react-query';
import { Folder, FolderMinus } from 'lucide-react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { moveConversations, projectsQuery } from './project-queries.ts';

/** Moves conversations to a project, or out of their project. */
export function MoveDialog({
  ids,
  onClose,
  onMoved,
}: {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onMoved?: () => void;
}) {
  const { data } = useQuery(projectsQuery);
  const labels = texts.chat.projects;
  const move = (projectId: string | null) => {
    onClose();
    onMoved?.();
    void moveConversations(ids, projectId);
  };
  return (
    <Dialog isOpen onClose={onClose} title={labels.move}>
      <div className="flex flex-col gap-1">
        {data?.map(({ project_id: id, name }) => (
          <Button key={id} variant="quiet" className="!justify-start" onClick={() => move(id)}>
            <Folder size={15} aria-hidden />
            <span dir="auto" className="truncate">
              {name}
            </span>
          </Button>
        ))}
        {data?.length === 0 && <p className="text-sm text-muted">{labels.none}</p>}
        <Button variant="quiet" className="!justify-start" onClick={() => move(null)}>
          <FolderMinus size={15} aria-hidden />
          {labels.outside}
        </Button>
      </div>
    </Dialog>
  );
}
