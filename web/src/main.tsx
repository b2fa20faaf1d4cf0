import '@fontsource-variable/inter/wght.css';
import './styles.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { DirectionProvider } from '@base-ui/react/direction-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { access } from './api/access.ts';
import { basePath } from './api/base-path.ts';
import { followLiveEvents } from './api/live-events.ts';
import { queryClient } from './api/query-client.ts';
import { resumeRuns } from './pages/chat/runs/run-store.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';
import { isRightToLeft } from './texts/language.ts';
import { Toaster } from './ui/toaster.tsx';
import { whenIdle } from './ui/when-idle.ts';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const app = (
  <StrictMode>
    {/* The Content-Security-Policy forbids inline styles. */}
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={isRightToLeft ? 'rtl' : 'ltr'}>
        <QueryClientProvider client={queryClient}>
          <Toaster>
            <RouterProvider router={router} />
          </Toaster>
        </QueryClientProvider>
      </DirectionProvider>
    </CSPProvider>
  </StrictMode>
);
// A transition renders in slices, between which the browser handles input and responses.
startTransition(() => createRoot(root).render(app));

// All cached responses depend on the token.
let { token } = access.get();
access.subscribe(() => {
  const { token: next } = access.get();
  if (next === token) return;
  token = next;
  void queryClient.invalidateQueries();
});
access.followOtherTabs();
resumeRuns();
whenIdle(() => {
  void followLiveEvents(queryClient, new AbortController().signal);
  if (import.meta.env.PROD && 'serviceWorker' in navigator) {
    keepShell().catch(() => {
      // Without the service worker, only the offline shell is missing.
    });
  }
});

/** Lets the service worker cache the files of the first page, which was loaded before the worker ran. */
async function keepShell(): Promise<void> {
  await navigator.serviceWorker.register(`${basePath}/service-worker.js`);
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have none
  active?.postMessage({ kind: 'keep', urls: loaded });
}
