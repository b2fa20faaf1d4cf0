import { MutationCache, QueryClient } from '@tanstack/react-query';
import { UnreachableError } from './api-error.ts';
import { showError } from '../ui/toasts.ts';

/** Caches responses in memory. Events of the server invalidate them; see `live-events.ts`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => error instanceof UnreachableError && failures < 2,
      refetchOnWindowFocus: true,
    },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (mutation.meta?.['showsError'] === true) return;
      showError(error);
    },
  }),
});
