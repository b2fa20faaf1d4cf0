import { resolve } from 'node:path';

const unused = 'scripts/build/unused.cjs';

// Files that replace packages: they omit unused parts, or load rarely used ones on first use.
const files = {
  undici: 'scripts/build/undici.cjs',
  'string-width': 'scripts/build/string-width.cjs',
  '@modelcontextprotocol/server/_shims': 'scripts/build/mcp-server-shims.mjs',
  // Only needed for uploads to the hub.
  '@huggingface/xetchunk-wasm': unused,
};

/** An esbuild plugin that replaces packages, except in imports by the replacements themselves. */
export const replacements = {
  name: 'replacements',
  setup({ onResolve }) {
    for (const [name, file] of Object.entries(files)) {
      const path = resolve(file);
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
        importer === path ? undefined : { path },
      );
    }
    // commander only needs it for commands that are separate programs, which Hearth does not have.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[/\\]commander[/\\]/.test(importer) ? { path: resolve(unused) } : undefined,
    );
  },
};
