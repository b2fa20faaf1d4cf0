import { useState, type DragEvent, type ReactNode } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { moveConversations } from './project-queries.ts';

const dataType = 'application/x-hearth-conversation';

/** Makes a dragged conversation droppable on a project. */
export function startChatDrag({ dataTransfer }: DragEvent, conversationId: string): void {
  dataTransfer.setData(dataType, conversationId);
  dataTransfer.effectAllowed = 'copyMove';
}

/** Moves a conversation that is dropped here to a project, or out of its project. */
export function ChatDropArea({
  projectId,
  children,
}: {
  readonly projectId: string | null;
  readonly children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className={classNames('rounded-lg', isOver && 'bg-accent-soft')}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(dataType)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const id = event.dataTransfer.getData(dataType);
        if (id === '') return;
        event.preventDefault();
        void moveConversations([id], projectId);
      }}
    >
      {children}
    </div>
  );
}
