import { startFakeHub } from '../test/setup/hub/fake-hub.ts';
import { plainModel, writeGguf } from '../test/setup/models/gguf-writer.ts';
import { benchFile, benchFileBytes, benchRepository } from './subjects/fake-hub-process.ts';

/** A hub with one large file, as a process of its own: prints its addresses when it listens. */
const file = { sizeBytes: benchFileBytes, seed: 1, head: writeGguf({ metadata: plainModel }) };
const hub = await startFakeHub({
  repositories: [{ name: benchRepository, files: { [benchFile]: file } }],
});
const { commit } = hub.repository(benchRepository);
const fileUrl = `${hub.url}/${benchRepository}/resolve/${commit}/${benchFile}`;
// Its hash is computed now, not in the middle of a measurement.
hub.repository(benchRepository).listing();
process.stdout.write(`${JSON.stringify({ url: hub.url, fileUrl })}\n`);
