import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { MessageSquarePlus, Search, Trash2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { texts } from '../../../texts/texts.ts';
import { projectsTexts } from '../../../texts/projects.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError } from '../../../ui/toasts.ts';
import { conversationsKey } from '../conversations/conversation-queries.ts';
import { prepareChat } from './prepare-chat.ts';
import { ProjectFiles } from './project-files.tsx';
import { ProjectForm } from './project-form.tsx';
import { ProjectChats } from './project-list.tsx';
import { projectsQuery, refreshProjects, type Project } from './project-queries.ts';

/** A project: its instructions, files and conversations. */
export function ProjectPage() {
  const { projectId = '' } = useParams({ strict: false });
  const { data } = useQuery(projectsQuery);
  if (data === undefined) return <Skeleton lines={6} className="p-8" />;
  const project = data.find((each) => each.project_id === projectId);
  if (project === undefined) return <Page title={projectsTexts.missing}>{null}</Page>;
  return <Content key={projectId} project={project} />;
}

function Content({ project }: { readonly project: Project }) {
  const { project_id: id, name } = project;
  const [isDeleting, setDeleting] = useState(false);
  const [search, setSearch] = useState('');
  const shownSearch = useDeferredValue(search.trim());
  const navigate = useNavigate();
  const begin = async () => {
    await prepareChat(project);
    await navigate({ to: '/chat', search: { project: id } });
  };
  const remove = async () => {
    await call('delete', '/api/v1/projects/{project_id}', { params: { project_id: id } });
    await navigate({ to: '/chat', search: {} });
    await refreshProjects();
    await queryClient.invalidateQueries({ queryKey: conversationsKey });
  };
  return (
    <div className="h-full overflow-y-auto">
      <Page
        title={name}
        description={projectsTexts.description}
        actions={
          <div className="flex gap-1">
            <Button variant="primary" onClick={() => void begin().catch(showError)}>
              <MessageSquarePlus size={16} aria-hidden />
              {projectsTexts.newChat}
            </Button>
            <IconButton
              icon={Trash2}
              label={projectsTexts.remove}
              className="!text-danger"
              onClick={() => setDeleting(true)}
            />
          </div>
        }
      >
        <ProjectForm key={project.revision} project={project} />
        <ProjectFiles project={project} />
        <Section title={projectsTexts.chats}>
          <label className="flex items-center gap-2 rounded-lg border bg-bg px-2.5 text-muted focus-within:outline-2 focus-within:outline-accent">
            <Search size={15} aria-hidden className="shrink-0" />
            <input
              type="search"
              aria-label={projectsTexts.search}
              placeholder={projectsTexts.search}
              className="h-8 min-w-0 flex-1 bg-transparent text-sm text-text outline-none"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </label>
          <ProjectChats
            projectId={id}
            search={shownSearch}
            renderRow={({ conversation_id: conversationId, title, snippet }) => (
              <li key={conversationId}>
                <Link
                  to="/chat/$conversationId"
                  params={{ conversationId }}
                  search={snippet?.response_id == null ? {} : { message: snippet.response_id }}
                  className="block truncate rounded-lg px-2.5 py-1.5 text-sm hover:bg-hover"
                >
                  <span dir="auto">{title || texts.chat.untitled}</span>
                </Link>
              </li>
            )}
          />
        </Section>
      </Page>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={projectsTexts.removeTitle({ name })}
        description={projectsTexts.removeHint}
        action={texts.app.delete}
        onConfirm={() => void remove().catch(showError)}
      />
    </div>
  );
}
