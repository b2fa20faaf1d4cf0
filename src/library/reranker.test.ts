import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { plainModel, writeGguf } from '../../test/setup/models/gguf-writer.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createModelLibrary } from './library.ts';

const embeddings = { name: 'token_embd.weight', shape: [32, 4], type: 1 };
const models = {
  pooling: { metadata: { ...plainModel, 'llama.pooling_type': 4 } },
  mean: { metadata: { ...plainModel, 'llama.pooling_type': 1 } },
  classifier: {
    metadata: plainModel,
    tensors: [embeddings, { name: 'cls.weight', shape: [32, 1], type: 0 }],
  },
  output: {
    metadata: { ...plainModel, 'llama.pooling_type': 1 },
    tensors: [embeddings, { name: 'cls.output.weight', shape: [32, 1], type: 0 }],
  },
  bias: {
    metadata: plainModel,
    tensors: [embeddings, { name: 'cls.output.bias', shape: [32], type: 0 }],
  },
};

it('lists models with a rank head by their pooling or their classifier', async () => {
  const folder = await temporaryFolder();
  for (const [name, file] of Object.entries(models)) {
    await mkdir(join(folder, 'acme', name), { recursive: true });
    await writeFile(join(folder, 'acme', name, 'model.gguf'), writeGguf(file));
  }
  const library = createModelLibrary({
    roots: [{ folder }],
    logger: createLogger('silent'),
    signal: new AbortController().signal,
  });
  const types = (await library.list()).map(({ key, type }) => [key, type]);
  expect(Object.fromEntries(types)).toEqual({
    'acme/pooling': 'reranker',
    'acme/mean': 'embeddings',
    'acme/classifier': 'reranker',
    'acme/output': 'reranker',
    'acme/bias': 'llm',
  });
});
