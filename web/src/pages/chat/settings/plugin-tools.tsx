import { useQuery } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import { call } from '../../../api/client.ts';
import { texts } from '../../../texts/texts.ts';
import { CheckField } from '../../../ui/check-field.tsx';
import { FoldedCard } from '../../../ui/folded-card.tsx';
import { QueryView } from '../../../ui/query-view.tsx';

const labels = texts.settings;

interface PluginToolsProps {
  /** Label of the MCP server. */
  readonly label: string;
  /** Names of the allowed tools; undefined if all are allowed. */
  readonly allowed: readonly string[] | undefined;
  readonly onChange: (allowed: readonly string[] | undefined) => void;
}

/** Switches for the tools of a plugin. Opening the card starts the plugin's server. */
export function PluginTools(props: PluginToolsProps) {
  const { label, allowed } = props;
  return (
    <FoldedCard
      title={labels.toolsOf({ label })}
      note={allowed === undefined ? labels.allTools : labels.someTools({ tools: allowed.length })}
      icon={<Wrench size={15} aria-hidden className="shrink-0 text-muted" />}
      className="ms-6"
      contentClassName="flex max-h-72 flex-col gap-2 overflow-y-auto"
    >
      <ToolSwitches {...props} />
    </FoldedCard>
  );
}

function ToolSwitches({ label, allowed, onChange }: PluginToolsProps) {
  const query = useQuery({
    queryKey: ['mcp', 'tools', label],
    queryFn: ({ signal }) =>
      call('post', '/api/v1/mcp/servers/{label}/test', { params: { label } }, { signal }),
    staleTime: 60_000,
    retry: false,
  });
  return (
    <QueryView query={query}>
      {({ tools }) => {
        const names = tools.map(({ name }) => name);
        const choose = (name: string, isAllowed: boolean) => {
          const next = names.filter((each) =>
            each === name ? isAllowed : (allowed?.includes(each) ?? true),
          );
          onChange(next.length === names.length ? undefined : next);
        };
        return tools.map(({ name, description }) => (
          <CheckField
            key={name}
            label={name}
            hint={description ?? undefined}
            isChecked={allowed?.includes(name) ?? true}
            onChange={(isAllowed) => choose(name, isAllowed)}
          />
        ));
      }}
    </QueryView>
  );
}
