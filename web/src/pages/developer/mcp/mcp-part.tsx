import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ServerDialog } from './server-dialog.tsx';
import { emptyServerForm, toServerForm, type ServerForm } from './server-form.ts';
import { ServerRow } from './server-row.tsx';

const labels = developerTexts.mcp;

/** The servers of mcp.json and the built-in servers. */
export function McpPart() {
  const [edited, setEdited] = useState<ServerForm>();
  const query = useQuery({
    queryKey: ['mcp-servers'],
    queryFn: ({ signal }) => call('get', '/api/v1/mcp/servers', {}, { signal }),
  });
  return (
    <Section
      title={labels.title}
      description={labels.description}
      actions={
        <Button variant="primary" onClick={() => setEdited(emptyServerForm)}>
          <Plus size={16} aria-hidden />
          {labels.add}
        </Button>
      }
    >
      <QueryView query={query}>
        {({ servers, plugins_allowed }) => (
          <>
            {!plugins_allowed && <Notice tone="warn">{labels.pluginsOff}</Notice>}
            {servers.length === 0 && <p className="text-sm text-muted">{labels.empty}</p>}
            <ul aria-label={labels.title} className="flex flex-col gap-3">
              {servers.map((server) => (
                <ServerRow
                  key={server.label}
                  server={server}
                  onEdit={() => setEdited(toServerForm(server))}
                />
              ))}
            </ul>
          </>
        )}
      </QueryView>
      <ServerDialog form={edited} onClose={() => setEdited(undefined)} />
    </Section>
  );
}
