import { getRouteApi } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { basePath } from '../../api/base-path.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { developerTexts } from '../../texts/developer.ts';
import { texts } from '../../texts/texts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Page } from '../../ui/page.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';
import { AdminOnly } from './admin-only.tsx';
import { MachinesPart } from './machines/machines-part.tsx';
import { McpPart } from './mcp/mcp-part.tsx';
import { OverviewPart } from './overview/overview-part.tsx';
import { RequestsPart } from './requests/requests-part.tsx';
import { RuntimesPart } from './runtimes/runtimes-part.tsx';
import { SettingsPart } from './settings/settings-part.tsx';
import { TokensPart } from './tokens/tokens-part.tsx';
import { UsagePart } from './usage/usage-part.tsx';

const { tabs } = developerTexts;

interface Part {
  readonly path: string;
  readonly label: string;
  readonly isAdminOnly: boolean;
  readonly Content: ComponentType;
}

const parts: readonly Part[] = [
  { path: 'overview', label: tabs.overview, isAdminOnly: false, Content: OverviewPart },
  { path: 'requests', label: tabs.requests, isAdminOnly: true, Content: RequestsPart },
  { path: 'tokens', label: tabs.tokens, isAdminOnly: true, Content: TokensPart },
  { path: 'usage', label: tabs.usage, isAdminOnly: false, Content: UsagePart },
  { path: 'settings', label: tabs.settings, isAdminOnly: true, Content: SettingsPart },
  { path: 'mcp', label: tabs.mcp, isAdminOnly: true, Content: McpPart },
  { path: 'machines', label: tabs.machines, isAdminOnly: true, Content: MachinesPart },
  { path: 'runtimes', label: tabs.runtimes, isAdminOnly: false, Content: RuntimesPart },
];
const links = parts.map(({ path, label }) => ({ path: `/developer/${path}`, label }));
const route = getRouteApi('/developer/$part');

/** The server's activity and configuration, on several tabs. */
export function DeveloperPage() {
  const { part } = route.useParams();
  const found = parts.find(({ path }) => path === part);
  if (found === undefined) return <NotFound />;
  const { Content, isAdminOnly } = found;
  return (
    <Page
      title={texts.pages.developer}
      description={developerTexts.description}
      isWide
      actions={<BaseUrl />}
    >
      <TabLinks label={tabs.label} tabs={links} />
      {isAdminOnly ? (
        <AdminOnly>
          <Content />
        </AdminOnly>
      ) : (
        <Content />
      )}
    </Page>
  );
}

function BaseUrl() {
  return (
    <p className="flex items-center gap-2 rounded-lg bg-code py-0.5 pe-0.5 ps-3 font-mono text-[13px]">
      <span className="sr-only">{developerTexts.address}</span>
      {`${location.origin}${basePath}/v1`}
      <CopyButton text={`${location.origin}${basePath}/v1`} />
    </p>
  );
}
