import type { ReactNode } from 'react';
import { modelsTexts } from '../../texts/models.ts';
import { texts } from '../../texts/texts.ts';
import { Page } from '../../ui/page.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';
import { Downloads } from '../../downloads/downloads.tsx';

const { tabs } = modelsTexts;
const links = [
  { path: '/models', label: tabs.library },
  { path: '/models/discover', label: tabs.discover, below: '/models/hub/' },
  { path: '/models/import', label: tabs.add },
];

/** Common parts of the models pages: title, tabs and the running downloads. */
export function ModelsFrame({ children }: { readonly children: ReactNode }) {
  return (
    <Page title={texts.pages.models} description={modelsTexts.description}>
      <TabLinks label={tabs.label} tabs={links} />
      <Downloads />
      {children}
    </Page>
  );
}
