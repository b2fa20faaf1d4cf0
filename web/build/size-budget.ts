import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * Fails the build if the scripts of the first load exceed a size: the entry, everything that it imports statically, and its
 * texts in the longest language.
 */
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
      const sizeOf = (chunk: { readonly code: string } | undefined) =>
        gzipSync(chunk?.code ?? '').length;
      const texts = chunks.filter(
        ({ facadeModuleId }) => facadeModuleId?.endsWith('/app.json') === true,
      );
      if (texts.length === 0) this.error('No file has the texts of the first load.');
      const total =
        Math.max(...texts.map(sizeOf)) +
        [...initial].map((name) => sizeOf(byName.get(name))).reduce((sum, size) => sum + size, 0);
      this.info(
        `The first load has ${total} bytes of JavaScript (gzip) of at most ${maxGzipBytes}.`,
      );
      if (total > maxGzipBytes) {
        this.error(`The first load exceeds its budget: ${total} of ${maxGzipBytes} bytes (gzip).`);
      }
    },
  };
}
