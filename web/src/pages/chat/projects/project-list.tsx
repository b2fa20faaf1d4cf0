import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Folder, FolderPlus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { keep, readKept } from '../../../api/browser-storage.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import {
  conversationListQuery,
  type ConversationRecord,
} from '../conversations/conversation-queries.ts';
import { ChatDropArea } from './chat-drag.tsx';
import { NewProjectDialog } from './new-project-dialog.tsx';
import { projectsQuery, type Project } from './project-queries.ts';

interface ProjectListProps {
  /** Renders a row of the list of conversations. */
  readonly renderRow: (conversation: ConversationRecord) => ReactNode;
}

/** The projects in the sidebar, each with its conversations. */
export function ProjectList({ renderRow }: ProjectListProps) {
  const { data } = useQuery(projectsQuery);
  const [isCreating, setCreating] = useState(false);
  const labels = texts.chat.projects;
  return (
    <section aria-label={labels.label}>
      <h2 className="flex items-center pt-1 ps-2.5 text-xs font-medium text-muted">
        <span className="flex-1">{labels.label}</span>
        <IconButton
          icon={FolderPlus}
          label={labels.create}
          size={15}
          onClick={() => setCreating(true)}
        />
      </h2>
      <ul>
        {data?.map((project) => (
          <ProjectRow key={project.project_id} project={project} renderRow={renderRow} />
        ))}
      </ul>
      {isCreating && <NewProjectDialog onClose={() => setCreating(false)} />}
    </section>
  );
}

const openKey = 'hearth.projects.open';

function readOpen(): readonly string[] {
  return (readKept(openKey) ?? '').split(' ').filter(Boolean);
}

function ProjectRow({
  project: { project_id: id, name },
  renderRow,
}: ProjectListProps & { readonly project: Project }) {
  const [isOpen, setOpen] = useState(() => readOpen().includes(id));
  const toggle = () => {
    const others = readOpen().filter((each) => each !== id);
    keep(openKey, (isOpen ? others : [...others, id]).join(' '));
    setOpen(!isOpen);
  };
  return (
    <li>
      <ChatDropArea projectId={id}>
        <div className="flex items-center rounded-lg text-sm hover:bg-hover">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={texts.chat.projects.show({ name })}
            className="rounded-lg py-1.5 ps-1.5"
            onClick={toggle}
          >
            <ChevronRight
              size={14}
              aria-hidden
              className={classNames('text-muted', isOpen && 'rotate-90')}
            />
          </button>
          <Link
            to="/chat/projects/$projectId"
            params={{ projectId: id }}
            className="flex min-w-0 flex-1 items-center gap-1.5 rounded-lg px-1.5 py-1.5"
            activeProps={{ className: 'font-medium' }}
          >
            <Folder size={14} aria-hidden className="shrink-0 text-muted" />
            <span dir="auto" className="truncate">
              {name}
            </span>
          </Link>
        </div>
        {isOpen && <ProjectChats projectId={id} renderRow={renderRow} />}
      </ChatDropArea>
    </li>
  );
}

/** The conversations of a project, newest first, or the results of a search in it. */
export function ProjectChats({
  projectId,
  search = '',
  renderRow,
}: ProjectListProps & { readonly projectId: string; readonly search?: string }) {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(
    conversationListQuery(search, projectId),
  );
  const conversations = data?.pages.flatMap((page) => page.conversations);
  if (conversations?.length === 0) {
    return (
      <p className="px-2.5 py-1.5 ps-6 text-sm text-muted">
        {search === '' ? texts.chat.projects.empty : texts.chat.list.noResults}
      </p>
    );
  }
  return (
    <div className="ps-4">
      <ul>{conversations?.map(renderRow)}</ul>
      {hasNextPage && (
        <Button size="small" variant="quiet" onClick={() => void fetchNextPage()}>
          {texts.chat.list.more}
        </Button>
      )}
    </div>
  );
}
