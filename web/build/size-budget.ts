import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fails the build if the scripts of the first load exceed a size: the entry and everything that it imports statically. */
export function sizeBudget({ maxGzipBytes }: { readonly maxGzipBytes: number }): Plugin {
  return {
    name: 'size-budget',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const initial = new Set<string>();
      const add = (name: string) => {
        if (initial.has(name)) return;
        initial.add(name);
        byName.get(name)?.imports.forEach(add);
      };
      for (const { fileName, isEntry } of chunks) if (isEntry) add(fileName);
      const sizes = [...initial].map((name) => gzipSync(byName.get(name)?.code ?? '').length);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      this.info(
        `The first load has ${total} bytes of JavaScript (gzip) of at most ${maxGzipBytes}.`,
      );
      if (total > maxGzipBytes) {
        this.error(`The first load exceeds its budget: ${total} of ${maxGzipBytes} bytes (gzip).`);
      }
    },
  };
}
