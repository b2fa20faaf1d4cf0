import { transform } from 'esbuild';
import { readFile } from 'node:fs/promises';

/** Replaced parts of the files of pdf.js, which have a comment with the name of each module. */
const changes = {
  'pdf.worker.mjs': [
    [
      // Node.js has this decoder; its dictionary is a sixth of the compressed file.
      /^;\/\/ \.\/external\/brotli\/decode\.js$[\s\S]*?(?=^;\/\/ )/m,
      `import { brotliDecompressSync } from 'node:zlib';
      const BrotliDecode = (bytes) => brotliDecompressSync(bytes, { maxOutputLength: 200_000_000 });`,
    ],
    [
      // XFA forms, which are not read.
      /^;\/\/ \.\/src\/core\/xfa\/[\s\S]*^;\/\/ \.\/src\/core\/xfa\/factory\.js$[\s\S]*?(?=^;\/\/ )/m,
      'class XFAFactory { static getRichTextAsHtml() { return null; } }',
    ],
  ],
  // Leaves out files, drawing, and a warning that is printed.
  'pdf.mjs': [[/^const isNodeJS = .*$/m, 'const isNodeJS = false;']],
};

/** An esbuild plugin that bundles pdf.js for Node.js without unused parts, and with short names. */
export const pdfJs = {
  name: 'pdf-js',
  setup({ onLoad }) {
    for (const [name, parts] of Object.entries(changes)) {
      const filter = new RegExp(String.raw`[/\\]pdfjs-dist[/\\]build[/\\]${name}$`);
      onLoad({ filter }, async ({ path }) => {
        let code = await readFile(path, 'utf8');
        for (const [part, replacement] of parts) {
          if (!part.test(code)) throw new Error(`${path} has no ${part}`);
          code = code.replace(part, replacement);
        }
        const minified = await transform(code, { minify: true, format: 'esm', target: 'node20' });
        return { contents: minified.code };
      });
    }
  },
};
