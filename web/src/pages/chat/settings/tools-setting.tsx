import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Fragment, useState } from 'react';
import { call } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { ConversationSettings, EphemeralServer } from './conversation-settings.ts';
import { KeptApprovals } from './kept-approvals.tsx';
import { PluginTools } from './plugin-tools.tsx';

const labels = texts.settings;

export interface ToolsProps {
  /** True in a dialog whose title is the same. */
  readonly isTitled?: boolean;
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
}

/** Chooses plugins, and MCP servers by URL. */
export function ToolsSetting({ isTitled = false, ...props }: ToolsProps) {
  const isAllowed = usePermissions();
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className={isTitled ? 'sr-only' : 'text-sm font-semibold'}>{labels.tools}</legend>
      <p className="text-xs text-muted">{labels.toolsHint}</p>
      {isAllowed('admin') ? (
        <PluginList {...props} />
      ) : isAllowed('plugins') || props.settings.integrations.length > 0 ? (
        <PluginField {...props} />
      ) : (
        <Notice>{labels.pluginsNeed}</Notice>
      )}
      {isAllowed('ephemeral-mcp') && <ServerList {...props} />}
      <KeptApprovals />
    </fieldset>
  );
}

/** The plugins of mcp.json; only shown to callers that may list them. */
function PluginList({ settings, onChange }: ToolsProps) {
  const { data } = useQuery({
    queryKey: ['mcp'],
    queryFn: ({ signal }) => call('get', '/api/v1/mcp/servers', {}, { signal }),
  });
  if (data === undefined) return null;
  const { servers, plugins_allowed: areAllowed } = data;
  // Chosen plugins that no longer exist are listed so that they can be removed.
  const gone = settings.integrations.filter((id) => servers.every((server) => server.id !== id));
  const choose = (id: string, isChosen: boolean) =>
    onChange({
      ...settings,
      integrations: isChosen
        ? [...settings.integrations, id]
        : settings.integrations.filter((each) => each !== id),
    });
  const allow = (id: string, allowed: readonly string[] | undefined) => {
    const { [id]: _, ...others } = settings.allowedTools ?? {};
    onChange({
      ...settings,
      allowedTools: allowed === undefined ? others : { ...others, [id]: allowed },
    });
  };
  return (
    <div className="flex flex-col gap-2">
      {servers.length === 0 && <p className="text-sm text-muted">{labels.noPlugins}</p>}
      {!areAllowed && servers.length > 0 && (
        <p className="text-xs text-warn">{labels.pluginsOff}</p>
      )}
      {[...servers, ...gone.map((id) => ({ id, label: id, type: 'faulty' as const }))].map(
        ({ id, label, type }) => (
          <Fragment key={id}>
            <CheckField
              label={label}
              hint={type === 'faulty' ? labels.faulty : undefined}
              isChecked={settings.integrations.includes(id)}
              isDisabled={type === 'faulty' && !settings.integrations.includes(id)}
              onChange={(isChosen) => choose(id, isChosen)}
            />
            {type !== 'faulty' && settings.integrations.includes(id) && (
              <PluginTools
                label={label}
                allowed={settings.allowedTools?.[id]}
                onChange={(allowed) => allow(id, allowed)}
              />
            )}
          </Fragment>
        ),
      )}
    </div>
  );
}

function PluginField({ settings, onChange }: ToolsProps) {
  const [text, setText] = useState(settings.integrations.join(' '));
  return (
    <Field label={labels.plugins} hint={labels.pluginsHint}>
      {(attributes) => (
        <input
          {...attributes}
          className={inputClass}
          spellCheck={false}
          autoCapitalize="off"
          placeholder="mcp/files"
          value={text}
          onChange={({ target: { value } }) => {
            setText(value);
            onChange({ ...settings, integrations: value.split(/[\s,]+/).filter(Boolean) });
          }}
        />
      )}
    </Field>
  );
}

function ServerList({ settings, onChange }: ToolsProps) {
  const { servers = [] } = settings;
  const set = (next: readonly EphemeralServer[]) =>
    onChange({ ...settings, servers: next.length === 0 ? undefined : next });
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">{labels.servers}</p>
      {servers.length > 0 && (
        <ul className="flex flex-col gap-1">
          {servers.map(({ label, url }) => (
            <li key={label} className="flex items-center gap-2 text-sm">
              <span className="font-medium">{label}</span>
              <span className="min-w-0 flex-1 truncate text-muted">{url}</span>
              <IconButton
                icon={X}
                label={labels.removeServer({ label })}
                size={14}
                className="!size-7"
                onClick={() => set(servers.filter((each) => each.label !== label))}
              />
            </li>
          ))}
        </ul>
      )}
      <NewServer
        onAdd={(added) => set([...servers.filter((each) => each.label !== added.label), added])}
      />
      <p className="text-xs text-muted">{labels.serversHint}</p>
    </div>
  );
}

function NewServer({ onAdd }: { readonly onAdd: (server: EphemeralServer) => void }) {
  const [label, setLabel] = useState('');
  const [url, setUrl] = useState('');
  const isWrong = url !== '' && !isWebAddress(url);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        aria-label={labels.serverLabel}
        placeholder={labels.serverLabel}
        className={`${inputClass} sm:!w-44`}
        maxLength={64}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      <input
        type="url"
        dir="ltr"
        aria-label={labels.serverUrl}
        aria-invalid={isWrong || undefined}
        placeholder="https://example.org/mcp"
        title={isWrong ? labels.wrongUrl : undefined}
        className={`${inputClass} min-w-52 flex-1`}
        maxLength={2048}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Button
        disabled={label.trim() === '' || !isWebAddress(url)}
        onClick={() => {
          onAdd({ label: label.trim(), url });
          setLabel('');
          setUrl('');
        }}
      >
        {labels.addServer}
      </Button>
    </div>
  );
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
