import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { limitMarks } from '../../../ui/limit-marks.ts';
import { treeQuery } from '../conversations/conversation-queries.ts';
import { aroundPassage, fileNameOf, type CitedPassage } from '../documents/document-part.ts';
import { projectsQuery } from '../projects/project-queries.ts';

interface PassageDialogProps {
  readonly passage: CitedPassage;
  readonly onClose: () => void;
}

/** Shows a cited passage. If it is from a file that the project still has, shows the text around it, too. */
export function PassageDialog({ passage, onClose }: PassageDialogProps) {
  const { conversationId } = useParams({ strict: false });
  const { data: tree } = useQuery({
    ...treeQuery(conversationId ?? ''),
    enabled: conversationId !== undefined,
  });
  const { data: around } = useQuery(aroundQuery(tree?.project_id ?? null, passage));
  const scrollTo = useCallback((mark: HTMLElement | null) => {
    mark?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <Dialog isOpen onClose={onClose} title={passage.source} className="max-w-3xl">
      {/* Focusable, so that the keyboard can scroll it. */}
      <div dir="auto" tabIndex={0} className="text-[13px] break-words whitespace-pre-wrap">
        {limitMarks(around?.before ?? '')}
        <mark key={around?.before} ref={scrollTo}>
          {limitMarks(passage.text)}
        </mark>
        {limitMarks(around?.after ?? '')}
      </div>
    </Dialog>
  );
}

const aroundQuery = (projectId: string | null, passage: CitedPassage) =>
  queryOptions({
    queryKey: ['passage', projectId, passage.source, passage.text],
    enabled: projectId !== null,
    queryFn: async ({ signal }) => {
      const projects = await queryClient.ensureQueryData(projectsQuery);
      const project = projects.find((each) => each.project_id === projectId);
      const name = fileNameOf(passage);
      const files = project?.files.filter((each) => each.name.replaceAll(/\s+/g, ' ') === name);
      for (const { file_id: fileId } of files ?? []) {
        const { text } = await call(
          'get',
          '/api/v1/projects/{project_id}/files/{file_id}',
          { params: { project_id: projectId ?? '', file_id: fileId } },
          { signal },
        );
        const around = aroundPassage(text, passage.text);
        if (around !== undefined) return around;
      }
      return null;
    },
  });
