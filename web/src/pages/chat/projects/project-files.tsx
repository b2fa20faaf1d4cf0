import { FileText, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '../../../api/client.ts';
import { projectsTexts } from '../../../texts/projects.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Section } from '../../../ui/page.tsx';
import { showError } from '../../../ui/toasts.ts';
import { documentText } from '../documents/document.ts';
import { readDocument } from '../documents/read-document.ts';
import { refreshProjects, type Project } from './project-queries.ts';

/** The files of a project. Its chats read them whole or search them. */
export function ProjectFiles({ project }: { readonly project: Project }) {
  const { project_id: id, files, file_search: state } = project;
  const input = useRef<HTMLInputElement>(null);
  const [isAdding, setAdding] = useState(false);
  const add = async (chosen: readonly File[]) => {
    setAdding(true);
    try {
      for (const file of chosen) {
        const text = documentText(await readDocument(file)).replaceAll('\0', '');
        await call('post', '/api/v1/projects/{project_id}/files', {
          params: { project_id: id },
          body: { name: file.name.slice(0, 200), text },
        });
      }
    } finally {
      setAdding(false);
      await refreshProjects();
    }
  };
  const remove = async (fileId: string) => {
    const params = { project_id: id, file_id: fileId };
    await call('delete', '/api/v1/projects/{project_id}/files/{file_id}', { params });
    await refreshProjects();
  };
  return (
    <Section
      title={projectsTexts.files}
      description={projectsTexts.filesHint}
      actions={
        <Button size="small" disabled={isAdding} onClick={() => input.current?.click()}>
          <Plus size={15} aria-hidden />
          {projectsTexts.addFile}
        </Button>
      }
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={projectsTexts.addFile}
        onChange={({ target }) => {
          add([...(target.files ?? [])]).catch(showError);
          target.value = '';
        }}
      />
      {state !== 'whole' && (
        <p role="status" className="text-sm text-muted">
          {projectsTexts.fileSearch[state]}
        </p>
      )}
      <ul className="flex flex-col gap-1">
        {files.map(({ file_id: fileId, name }) => (
          <li key={fileId} className="flex items-center gap-2 text-sm">
            <FileText size={15} aria-hidden className="shrink-0 text-muted" />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <IconButton
              icon={Trash2}
              size={15}
              label={`${texts.app.delete}: ${name}`}
              onClick={() => void remove(fileId).catch(showError)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
