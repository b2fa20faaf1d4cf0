import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  Download,
  FileText,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Printer,
  Trash2,
} from 'lucide-react';
import type { RefObject } from 'react';
import { texts } from '../../../texts/texts.ts';
import { keepFocusInPage } from '../../../ui/keep-focus.ts';
import { MenuPopup } from '../../../ui/menu-popup.tsx';
import { showError } from '../../../ui/toasts.ts';
import type { ConversationRecord } from '../conversations/conversation-queries.ts';
import { printRequest } from '../print/print-request.ts';
import { MoveDialog } from '../projects/move-dialog.tsx';
import { exportConversation, updateConversation } from './conversation-mutations.ts';
import { deleteSoon } from './delete-soon.ts';
import { RenameDialog } from './rename-dialog.tsx';

type ActionsView = 'menu' | 'rename' | 'move';

/** The conversation whose menu or dialog is open. */
export interface OpenActions {
  readonly conversation: ConversationRecord;
  readonly view: ActionsView;
}

interface ActionsProps extends OpenActions {
  /** The button that opened the menu. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  /** True if the page shows the conversation. */
  readonly isShown: boolean;
  readonly onView: (view: ActionsView) => void;
  /** Called with the closed view: choosing a menu item opens a dialog before the menu closes. */
  readonly onClose: (view: ActionsView) => void;
}

/** The menu of a conversation in the list, and the dialogs that it opens. */
export function ConversationActions({
  conversation,
  view,
  anchor,
  isShown,
  onView,
  onClose,
}: ActionsProps) {
  const { conversation_id: id, pinned, archived } = conversation;
  const navigate = useNavigate();
  const labels = texts.chat.list;
  if (view === 'rename') {
    return (
      <RenameDialog
        conversation={conversation}
        onClose={() => onClose('rename')}
        onRename={(title) => void updateConversation(id, { title })}
      />
    );
  }
  if (view === 'move') return <MoveDialog ids={[id]} onClose={() => onClose('move')} />;
  return (
    <MenuPopup
      anchor={anchor}
      align="end"
      onClose={() => onClose('menu')}
      items={[
        {
          label: pinned ? labels.unpin : labels.pin,
          icon: pinned ? PinOff : Pin,
          onSelect: () => void updateConversation(id, { pinned: !pinned }),
        },
        {
          label: archived ? labels.unarchive : labels.archive,
          icon: archived ? ArchiveRestore : Archive,
          onSelect: () => {
            keepFocusInPage();
            void updateConversation(id, { archived: !archived });
          },
        },
        { label: labels.rename, icon: Pencil, onSelect: () => onView('rename') },
        {
          label: texts.chat.projects.move,
          icon: FolderInput,
          onSelect: () => onView('move'),
        },
        {
          label: labels.exportMarkdown,
          icon: FileText,
          onSelect: () => void exportConversation(conversation, 'markdown').catch(showError),
        },
        {
          label: labels.exportJson,
          icon: Download,
          onSelect: () => void exportConversation(conversation, 'json').catch(showError),
        },
        {
          label: texts.chat.print,
          icon: Printer,
          onSelect: () => {
            printRequest.set(id);
            if (!isShown) {
              void navigate({ to: '/chat/$conversationId', params: { conversationId: id } });
            }
          },
        },
        {
          label: texts.app.delete,
          icon: Trash2,
          isDanger: true,
          onSelect: () => {
            keepFocusInPage();
            if (isShown) void navigate({ to: '/chat', search: {} });
            deleteSoon([id]);
          },
        },
      ]}
    />
  );
}
