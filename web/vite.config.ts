import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licenses } from './build/licenses.ts';
import { sizeBudget } from './build/size-budget.ts';
import { woff2Only } from './build/woff2-only.ts';

/** Server that `npm run dev` forwards requests of the API to. */
const server = process.env['HEARTH_URL'] ?? 'http://127.0.0.1:1234';

const notices = licenses();

export default defineConfig({
  root: import.meta.dirname,
  experimental: {
    // Scripts find each other below any path; the server completes the paths of the page.
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }),
  },
  plugins: [react(), tailwind(), woff2Only(), sizeBudget({ maxGzipBytes: 200_000 }), notices.page],
  // Frames without an origin load classic scripts only.
  worker: { format: 'iife', plugins: () => [notices.worker] },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // One file for all that the first load needs: each request costs more than its bytes.
      output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/v1', '/health', '/openapi.json', '/docs', '/frame'].map((path) => [
        path,
        // The server accepts requests of its own origin only.
        { target: server, changeOrigin: true, headers: { origin: server } },
      ]),
    ),
  },
});
