import { resolve } from 'node:path';

const unused = 'scripts/build/unused.cjs';

// Files that replace packages: they omit unused parts, or load rarely used ones on first use.
const files = {
  undici: 'scripts/build/undici.cjs',
  'string-width': 'scripts/build/string-width.cjs',
  '@modelcontextprotocol/server/_shims': 'scripts/build/mcp-server-shims.mjs',
  // For uploads to the hub.
  '@huggingface/xetchunk-wasm': unused,
};

/** A plugin of esbuild: replaces packages, unless a replacement itself loads them. */
export const replacements = {
  name: 'replacements',
  setup({ onResolve }) {
    for (const [name, file] of Object.entries(files)) {
      const path = resolve(file);
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
        importer === path ? undefined : { path },
      );
    }
    // For commands that are programs of their own, of which Hearth has none.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[/\\]commander[/\\]/.test(importer) ? { path: resolve(unused) } : undefined,
    );
  },
};
