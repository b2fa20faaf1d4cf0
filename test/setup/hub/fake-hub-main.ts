/**
 * Runs a fake hub for manual tests; bundle it with `bundleScript` or esbuild. Arguments: port, `owner/name`, file name,
 * size in bytes.
 */
import { startFakeHub } from './fake-hub.ts';

const [port = '0', name = 'owner/Model-GGUF', file = 'model-Q4_K_M.gguf', size = '200000000'] =
  process.argv.slice(2);
const content = { sizeBytes: Number(size), seed: 1 };
const hub = await startFakeHub({
  port: Number(port),
  repositories: [{ name, files: { [file]: content } }],
});
process.stdout.write(`${hub.url}\n`);
