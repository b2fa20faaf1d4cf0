import { useInfiniteQuery, keepPreviousData } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Archive, ListChecks, LoaderCircle, MessageSquarePlus, Search, Upload } from 'lucide-react';
import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useStore } from '../../../api/store.ts';
import { withTexts } from '../../../texts/load-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { keepFocusInPage } from '../../../ui/keep-focus.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import {
  conversationListQuery,
  type ConversationRecord,
} from '../conversations/conversation-queries.ts';
import { ChatDropArea } from '../projects/chat-drag.tsx';
import { running } from '../runs/run-store.ts';
import type { Run } from '../runs/run.ts';
import type { OpenActions } from './conversation-actions.tsx';
import { deleteSoon, hiddenConversations } from './delete-soon.ts';
import { ConversationRow, rowClass } from './conversation-row.tsx';
import { groupConversations } from './group-conversations.ts';

const ConversationActions = lazy(async () => ({
  default: (await import('./conversation-actions.tsx')).ConversationActions,
}));

const SelectionBar = lazy(async () => ({
  default: (await import('./selection-bar.tsx')).SelectionBar,
}));

const ProjectList = lazy(async () => ({
  default: (await import('../projects/project-list.tsx')).ProjectList,
}));

const ImportDialog = lazy(
  withTexts(['projects'], async () => ({
    default: (await import('./import-dialog.tsx')).ImportDialog,
  })),
);

const partRows = 50;
/** Height of a row in pixels; search results are higher. */
const rowPixels = 32;

/** All conversations, by recency or by a search. */
export function ConversationList() {
  const [search, setSearch] = useState('');
  const [isSelecting, setSelecting] = useState(false);
  const [isArchive, setArchive] = useState(false);
  const labels = texts.chat.list;
  return (
    <section aria-label={labels.label} className="flex h-full min-h-0 flex-col">
      <Link to="/chat" search={{}} className={`${buttonClass()} mx-3 mb-2 justify-center`}>
        <MessageSquarePlus size={16} aria-hidden />
        {texts.chat.newChat}
      </Link>
      <div className="flex items-center gap-1 px-3 pb-2">
        <label className="flex min-w-0 flex-1 items-center gap-2 rounded-lg border bg-bg px-2.5 text-muted focus-within:outline-2 focus-within:outline-accent">
          <Search size={15} aria-hidden className="shrink-0" />
          <input
            type="search"
            aria-label={labels.search}
            placeholder={labels.searchPlaceholder}
            className="h-8 min-w-0 flex-1 bg-transparent text-sm text-text outline-none"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        <IconButton
          icon={ListChecks}
          label={labels.select}
          aria-pressed={isSelecting}
          onClick={() => setSelecting(!isSelecting)}
        />
        <ImportButton />
      </div>
      <Conversations
        search={useDeferredValue(search.trim())}
        isArchive={isArchive}
        onArchive={setArchive}
        isSelecting={isSelecting}
        onSelectEnd={() => setSelecting(false)}
      />
    </section>
  );
}

function Conversations({
  search,
  isArchive,
  onArchive,
  isSelecting,
  onSelectEnd,
}: {
  readonly search: string;
  /** Lists archived conversations instead of the others. */
  readonly isArchive: boolean;
  readonly onArchive: (isArchive: boolean) => void;
  readonly isSelecting: boolean;
  readonly onSelectEnd: () => void;
}) {
  const labels = texts.chat.list;
  const { data, dataUpdatedAt, hasNextPage, fetchNextPage, isError } = useInfiniteQuery({
    ...conversationListQuery(search, search === '' && !isArchive ? 'none' : undefined, isArchive),
    placeholderData: keepPreviousData,
  });
  const answers = useStore(running);
  const { conversationId: openId } = useParams({ strict: false });
  const navigate = useNavigate();
  const open = useCallback(
    ({ conversation_id: id, snippet }: ConversationRecord) =>
      void navigate({
        to: '/chat/$conversationId',
        params: { conversationId: id },
        search: toSearch(snippet, search),
      }),
    [navigate, search],
  );
  const [actions, setActions] = useState<OpenActions>();
  const anchor = useRef<HTMLButtonElement>(null);
  const openMenu = useCallback((conversation: ConversationRecord, button: HTMLButtonElement) => {
    anchor.current = button;
    setActions({ conversation, view: 'menu' });
  }, []);
  const hidden = useStore(hiddenConversations);
  const listed = useMemo(
    () =>
      data?.pages
        .flatMap(({ conversations }) => conversations)
        .filter(({ conversation_id: id }) => !hidden.has(id)) ?? [],
    [data, hidden],
  );
  const groups = useMemo(
    () =>
      groupConversations(
        listed,
        new Date(dataUpdatedAt),
        search !== '' ? 'results' : isArchive ? 'archived' : undefined,
      ),
    [listed, dataUpdatedAt, search, isArchive],
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback(
    (id: string) =>
      setSelected((now) => {
        const next = new Set(now);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const endSelection = () => {
    setSelected(new Set());
    onSelectEnd();
  };
  const ids = [...selected].filter((id) => !hidden.has(id));
  const deleteChosen = () => {
    if (openId !== undefined && ids.includes(openId)) void navigate({ to: '/chat', search: {} });
    keepFocusInPage();
    deleteSoon(ids);
    endSelection();
  };
  if (isError) return null;
  if (data === undefined) return <Skeleton lines={5} className="px-5 pt-3" />;
  const runningIds = new Set(answers.map(({ conversationId }) => conversationId));
  const newRuns = answers.filter(
    ({ conversationId, isTemporary }) => conversationId === undefined && isTemporary !== true,
  );
  const renderRow = (conversation: ConversationRecord) => {
    const { conversation_id: id } = conversation;
    if (hidden.has(id)) return null;
    return (
      <ConversationRow
        key={id}
        conversation={conversation}
        isOpen={id === openId}
        isRunning={runningIds.has(id)}
        isMenuOpen={actions?.conversation.conversation_id === id}
        isSelected={isSelecting ? selected.has(id) : undefined}
        onSelect={select}
        onOpen={open}
        onMenu={openMenu}
      />
    );
  };
  return (
    <>
      {isSelecting && (
        <Suspense>
          <SelectionBar
            ids={ids}
            onSelectAll={() => setSelected(new Set(listed.map(({ conversation_id: id }) => id)))}
            onDelete={deleteChosen}
            onEnd={endSelection}
          />
        </Suspense>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto bg-panel px-3 pb-3 contain-content">
        {search === '' && !isArchive && (
          <Suspense>
            <ProjectList renderRow={renderRow} />
          </Suspense>
        )}
        {newRuns.length > 0 && (
          <ul>
            {newRuns.map((run) => (
              <li key={run.key} className={rowClass}>
                <Link
                  to="/chat"
                  search={{ run: run.responseId ?? run.key }}
                  className="flex min-w-0 flex-1 items-center gap-1.5 rounded-lg px-2.5 py-1.5"
                >
                  <LoaderCircle
                    size={13}
                    aria-label={labels.running}
                    className="shrink-0 animate-spin text-accent"
                  />
                  <span className="truncate">{lastText(run) ?? texts.chat.newChat}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
        <ChatDropArea projectId={null}>
          {groups.map(({ group, conversations }) => (
            <section key={group} aria-label={labels[group]}>
              <h2 className="px-2.5 pt-3 pb-1 text-xs font-medium text-muted">{labels[group]}</h2>
              {inParts(conversations).map((part, index) => (
                // By position: with the id of its first row, each part would be built again for a new conversation.
                // oxlint-disable-next-line react/no-array-index-key
                <ul
                  key={index}
                  className="[content-visibility:auto]"
                  style={{ containIntrinsicHeight: `auto ${part.length * rowPixels}px` }}
                >
                  {part.map(renderRow)}
                </ul>
              ))}
            </section>
          ))}
          {groups.length === 0 && newRuns.length === 0 && (
            <p className="px-2.5 pt-3 text-sm text-muted">
              {search !== '' ? labels.noResults : isArchive ? labels.noneArchived : labels.empty}
            </p>
          )}
        </ChatDropArea>
        {hasNextPage && (
          <Button
            size="small"
            variant="quiet"
            className="mt-2 w-full"
            onClick={() => void fetchNextPage()}
          >
            {labels.more}
          </Button>
        )}
        {search === '' && (
          <Button
            size="small"
            variant="quiet"
            className="mt-2 w-full"
            onClick={() => onArchive(!isArchive)}
          >
            <Archive size={14} aria-hidden />
            {isArchive ? labels.showCurrent : labels.showArchived}
          </Button>
        )}
        {actions !== undefined && (
          <Suspense>
            <ConversationActions
              {...actions}
              anchor={anchor}
              isShown={actions.conversation.conversation_id === openId}
              onView={(view) => setActions({ ...actions, view })}
              onClose={(view) => setActions((now) => (now?.view === view ? undefined : now))}
            />
          </Suspense>
        )}
      </div>
    </>
  );
}

/** Divides rows into parts of which the browser lays out and paints only those in view. */
function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / partRows) }, (_, index) =>
    items.slice(index * partRows, (index + 1) * partRows),
  );
}

/** Search parameters that lead to the message that a search found. */
function toSearch(snippet: ConversationRecord['snippet'], search: string) {
  const { response_id: message = null, match = '', after = '' } = snippet ?? {};
  if (message === null) return {};
  // A match is a single word. If the user's whole search text follows there, all of it is highlighted.
  const isTogether = `${match}${after}`.toLowerCase().startsWith(search.toLowerCase());
  const find = isTogether ? search : match;
  return find === '' ? { message } : { message, find };
}

function ImportButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton icon={Upload} label={texts.chat.list.import} onClick={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <ImportDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The user's text, which follows the attached documents. */
function lastText({ input }: Pick<Run, 'input'>): string | undefined {
  return input.flatMap((part) => ('content' in part ? part.content : [])).at(-1);
}
