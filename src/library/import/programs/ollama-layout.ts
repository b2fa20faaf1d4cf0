import { join, relative } from 'node:path';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { corruptFile } from '../../gguf/byte-source.ts';
import { folderNameFrom } from '../../folder-name.ts';
import { groupBy } from '../../group-by.ts';
import { licenseNameFrom } from '../../license-name.ts';
import { parseModelFileName } from '../../model-file-name.ts';
import { createOllamaStores } from '../../ollama/scan-store.ts';
import { readTextFile } from '../../read-json-file.ts';
import { findInRepository } from '../find-in-repository.ts';
import type { LeftOutFile } from '../import-source.ts';
import { joinFound, type ProgramLayout } from './program.ts';

const maxLicenseBytes = 256 * 1024;

/**
 * `manifests/<host>/<namespace>/<model>/<tag>` and `blobs/sha256-<hex>`, at `OLLAMA_MODELS` or in the home folder of
 * the user, or of the service that the install script of Linux creates.
 *
 * Source: `envconfig/config.go` and `server/modelpath.go` of Ollama, and its FAQ "Where are models stored?".
 */
export const ollamaLayout: ProgramLayout = {
  label: 'Ollama',
  async folders({ environment, homeFolder, platform }) {
    const configured = environment['OLLAMA_MODELS'];
    if (configured) return [configured];
    const own = join(homeFolder, '.ollama/models');
    return platform === 'linux' ? [own, '/usr/share/ollama/.ollama/models'] : [own];
  },
  async find(folder, signal) {
    const leftOut: LeftOutFile[] = [];
    const repositories = await createOllamaStores(signal).scan(
      { folder },
      {
        onUnreadable: (path, error) => {
          const name = relative(folder, path);
          leftOut.push({
            name,
            error: error instanceof HearthError ? error : corruptFile(name, "can't be read"),
          });
        },
      },
    );
    const found = [];
    for (const repository of repositories) {
      // Groups the files like the library does: tags that differ only in the quantization are one model.
      const models = groupBy(repository.files, ({ name }) => parseModelFileName(name).base);
      for (const [base, files] of models) {
        signal.throwIfAborted();
        const place = {
          publisher: folderNameFrom(repository.publisher),
          repo: folderNameFrom(base),
          start: folder,
          isNamedByScan: true,
        };
        const { sources, leftOut: unusable } = await findInRepository(
          { ...repository, name: base, files },
          place,
          signal,
        );
        const licensePath = files.find((file) => file.licensePath !== undefined)?.licensePath;
        const text =
          licensePath === undefined
            ? undefined
            : await readTextFile(licensePath, maxLicenseBytes, signal).catch(() => undefined);
        const license = text === undefined ? undefined : licenseNameFrom(text);
        found.push({
          sources: license === undefined ? sources : sources.map((one) => ({ ...one, license })),
          leftOut: unusable,
        });
      }
    }
    return joinFound([...found, { sources: [], leftOut }]);
  },
};
