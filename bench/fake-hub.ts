import { startFakeHub } from '../test/setup/hub/fake-hub.ts';
import { plainModel, writeGguf } from '../test/setup/models/gguf-writer.ts';
import { benchFile, benchFileBytes, benchRepository } from './subjects/fake-hub-process.ts';

/** A hub with one large file, as a separate process that prints its addresses once it listens. */
const file = { sizeBytes: benchFileBytes, seed: 1, head: writeGguf({ metadata: plainModel }) };
const hub = await startFakeHub({
  repositories: [{ name: benchRepository, files: { [benchFile]: file } }],
});
const { commit } = hub.repository(benchRepository);
const fileUrl = `${hub.url}/${benchRepository}/resolve/${commit}/${benchFile}`;
// Computes the file's hash now, so that it does not disturb a measurement.
hub.repository(benchRepository).listing();
process.stdout.write(`${JSON.stringify({ url: hub.url, fileUrl })}\n`);
