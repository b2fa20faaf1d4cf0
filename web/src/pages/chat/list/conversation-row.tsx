import { Link, useNavigate, useParams } from '@tanstack/react-router';
import {
  Download,
  Ellipsis,
  FileText,
  LoaderCircle,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { showError } from '../../../ui/toasts.ts';
import type { ConversationRecord } from '../conversations/conversation-queries.ts';
import {
  exportConversation,
  useDeleteConversation,
  useUpdateConversation,
} from './conversation-mutations.ts';

const RenameDialog = lazy(async () => ({
  default: (await import('./rename-dialog.tsx')).RenameDialog,
}));

export const rowClass =
  'group relative flex items-center gap-1.5 rounded-lg pr-1 text-sm hover:bg-hover has-data-popup-open:bg-hover has-[a[data-status=active]]:bg-hover';

/** A conversation in the list, with its actions. */
export function ConversationRow({
  conversation,
  isRunning,
}: {
  readonly conversation: ConversationRecord;
  readonly isRunning: boolean;
}) {
  const { conversation_id: id, pinned, snippet } = conversation;
  const title = conversation.title || texts.chat.untitled;
  return (
    <li className={rowClass}>
      <Link
        to="/chat/$conversationId"
        params={{ conversationId: id }}
        className="min-w-0 flex-1 rounded-lg px-2.5 py-1.5"
        activeProps={{ className: 'font-medium', 'aria-current': 'page' }}
      >
        <span className="flex items-center gap-1.5">
          {isRunning && (
            <LoaderCircle
              size={13}
              aria-label={texts.chat.list.running}
              className="shrink-0 animate-spin text-accent"
            />
          )}
          {pinned && <Pin size={12} aria-hidden className="shrink-0 text-muted" />}
          <span dir="auto" className="truncate">
            {title}
          </span>
        </span>
        {snippet !== undefined && snippet.match !== '' && (
          <span dir="auto" className="block truncate text-xs text-muted">
            {snippet.before}
            <mark className="rounded-xs bg-warn-soft text-warn">{snippet.match}</mark>
            {snippet.after}
          </span>
        )}
      </Link>
      <RowActions conversation={conversation} />
    </li>
  );
}

function RowActions({ conversation }: { readonly conversation: ConversationRecord }) {
  const { conversation_id: id, pinned } = conversation;
  const title = conversation.title || texts.chat.untitled;
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const update = useUpdateConversation();
  const remove = useDeleteConversation();
  const navigate = useNavigate();
  const { conversationId: openId } = useParams({ strict: false });
  const labels = texts.chat.list;
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            icon={Ellipsis}
            label={labels.actions(title)}
            size={15}
            className={classNames(
              '!size-7 focus-visible:opacity-100 data-popup-open:opacity-100',
              'md:opacity-0 md:group-focus-within:opacity-100 md:group-hover:opacity-100',
            )}
          />
        }
        items={[
          {
            label: pinned ? labels.unpin : labels.pin,
            icon: pinned ? PinOff : Pin,
            onSelect: () => update.mutate({ id, pinned: !pinned }),
          },
          { label: labels.rename, icon: Pencil, onSelect: () => setDialog('rename') },
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
            label: texts.app.delete,
            icon: Trash2,
            isDanger: true,
            onSelect: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'rename' && (
        <Suspense>
          <RenameDialog
            conversation={conversation}
            onClose={close}
            onRename={(next) => update.mutate({ id, title: next })}
          />
        </Suspense>
      )}
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        onClose={close}
        title={labels.deleteTitle}
        description={labels.deleteHint}
        action={texts.app.delete}
        onConfirm={() => {
          if (openId === id) void navigate({ to: '/chat', search: {} });
          remove.mutate(id);
        }}
      />
    </>
  );
}
