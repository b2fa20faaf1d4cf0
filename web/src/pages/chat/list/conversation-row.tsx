import { LoaderCircle, Pin } from 'lucide-react';
import { memo } from 'react';
import { basePath } from '../../../api/base-path.ts';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { iconButtonClass } from '../../../ui/icon-button.tsx';
import type { ConversationRecord } from '../conversations/conversation-queries.ts';
import { startChatDrag } from '../projects/chat-drag.tsx';

export const rowClass =
  'group flex items-center gap-1.5 rounded-lg pe-1 text-sm hover:bg-hover [&_:focus-visible]:-outline-offset-2';

/** One shared element for all rows: the library's icon would need five components and elements in each. */
const dots = (
  <svg
    aria-hidden
    viewBox="0 0 24 24"
    className="size-[15px] fill-none stroke-current stroke-[3] [stroke-linecap:round]"
  >
    <path d="M5 12h.01M12 12h.01M19 12h.01" />
  </svg>
);

interface RowProps {
  readonly conversation: ConversationRecord;
  /** True if the page shows it. */
  readonly isOpen: boolean;
  readonly isRunning: boolean;
  readonly isMenuOpen: boolean;
  /** Undefined unless the user is selecting conversations. */
  readonly isSelected: boolean | undefined;
  readonly onSelect: (id: string) => void;
  readonly onOpen: (conversation: ConversationRecord) => void;
  readonly onMenu: (conversation: ConversationRecord, button: HTMLButtonElement) => void;
}

/**
 * A conversation in the list. Rows use neither links of the router nor a menu each, since there are many rows and both
 * would cost more than the rows themselves.
 */
export const ConversationRow = memo(function ConversationRow({
  conversation,
  isOpen,
  isRunning,
  isMenuOpen,
  isSelected,
  onSelect,
  onOpen,
  onMenu,
}: RowProps) {
  const { conversation_id: id, pinned, snippet } = conversation;
  const title = conversation.title || texts.chat.untitled;
  const label = texts.chat.list.actions({ title });
  if (isSelected !== undefined) {
    return (
      <li className={classNames(rowClass, isSelected && 'bg-hover')}>
        <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-2.5 px-2.5 py-1.5">
          <input
            type="checkbox"
            className="accent-accent"
            checked={isSelected}
            onChange={() => onSelect(id)}
          />
          <span dir="auto" className="min-w-0 truncate">
            {title}
          </span>
        </label>
      </li>
    );
  }
  return (
    <li className={classNames(rowClass, (isOpen || isMenuOpen) && 'bg-hover')}>
      <a
        href={`${basePath}/chat/${id}`}
        aria-current={isOpen ? 'page' : undefined}
        className={classNames('min-w-0 flex-1 rounded-lg px-2.5 py-1.5', isOpen && 'font-medium')}
        onDragStart={(event) => startChatDrag(event, id)}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          onOpen(conversation);
        }}
      >
        <span dir="auto" className="block truncate [text-align:match-parent]">
          {isRunning && (
            <LoaderCircle
              size={13}
              aria-label={texts.chat.list.running}
              className="me-1.5 inline animate-spin text-accent"
            />
          )}
          {pinned && <Pin size={12} aria-hidden className="me-1.5 inline text-muted" />}
          {title}
        </span>
        {snippet !== undefined && snippet.match !== '' && (
          <span dir="auto" className="block truncate text-xs [text-align:match-parent] text-muted">
            {snippet.before}
            <mark className="rounded-xs bg-warn-soft text-warn">{snippet.match}</mark>
            {snippet.after}
          </span>
        )}
      </a>
      <button
        type="button"
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        className={classNames(
          iconButtonClass,
          '!size-7',
          // Unlike an opacity, a transparent color needs no layer per row.
          !isMenuOpen && 'md:not-group-hover:not-group-focus-within:text-transparent',
        )}
        onClick={({ currentTarget }) => onMenu(conversation, currentTarget)}
      >
        {dots}
      </button>
    </li>
  );
});
