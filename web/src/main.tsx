import './styles.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followLiveEvents } from './api/live-events.ts';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';
import { Toaster } from './ui/toaster.tsx';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    {/* The Content-Security-Policy forbids inline styles. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={400}>
          <Toaster>
            <RouterProvider router={router} />
          </Toaster>
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);

void followLiveEvents(queryClient, new AbortController().signal);
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('/service-worker.js').catch(() => {
    // The app works without it; only its offline shell is missing.
  });
}
