// Builds dist/: the command-line tool, the library and the files that they read at run time.
import { build } from 'esbuild';
import { cp, rm } from 'node:fs/promises';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: {
    'cli/main': 'src/cli/main.ts',
    index: 'src/index.ts',
    'engine/watchdog': 'src/engine/launch/watchdog.ts',
    ...(process.env.NOBENCH ? {} : { 'bench/main': 'bench/main.ts' }),
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
});
await cp('src/engine/runtimes/wheel-launcher.py', 'dist/engine/wheel-launcher.py');
