import * as z from 'zod';
import { defineRoute } from '../../kit/route.ts';

const folderNameSchema = z.string().min(1).max(128);

export const importRequestSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe(
        'Absolute path on the machine of the server: a GGUF file, or a folder with any number of models.',
      ),
    publisher: folderNameSchema
      .nullish()
      .describe('First part of the key; that of the path, or `local`, if absent.'),
    repository: folderNameSchema
      .nullish()
      .describe('Second part of the key; from the file name if absent.'),
    method: z
      .enum(['copy', 'move', 'hardlink', 'symlink'])
      .nullish()
      .meta({ default: 'copy' })
      .describe('How the files get into the library.'),
  })
  .meta({ id: 'ImportRequest', examples: [{ path: '/data/models/smollm2-135m-q4_1.gguf' }] });

export const importModel = defineRoute({
  method: 'post',
  path: '/api/v1/models/import',
  operationId: 'importModel',
  summary: 'Import models from a path on the machine of the server',
  permission: 'admin',
  body: importRequestSchema,
  result: z
    .object({
      models: z.array(z.string()).describe('Keys of the imported models.'),
      skipped: z
        .array(z.object({ name: z.string(), code: z.string(), message: z.string() }))
        .describe('Files of a folder that were not imported, with the reason.'),
    })
    .meta({ id: 'ImportResult', examples: [{ models: ['local/smollm2-135m'], skipped: [] }] }),
  errors: ['unrecognized_keys', 'invalid_value', 'conflict', 'insufficient_disk'],
});

export const uploadModelFile = defineRoute({
  method: 'put',
  path: '/api/v1/models/files/{publisher}/{repository}/{file}',
  operationId: 'uploadModelFile',
  summary: 'Upload a GGUF file into the library',
  description:
    'The body is the content of the file. It is written to disk while it arrives and added to the library when it ' +
    'is complete and its header is valid; an upload that breaks off leaves nothing. Upload the parts of a split ' +
    'model, and its projector, one by one.',
  permission: 'models:write',
  params: z.object({
    publisher: folderNameSchema.meta({ examples: ['local'] }),
    repository: folderNameSchema.meta({ examples: ['smollm2-135m'] }),
    file: z
      .string()
      .min(6)
      .max(255)
      .meta({ examples: ['smollm2-135m-q4_1.gguf'] })
      .describe('Name of the file, which ends with `.gguf`.'),
  }),
  upload: { contentType: 'application/octet-stream' },
  result: z
    .object({
      model: z
        .string()
        .nullable()
        .describe('Key of the model; null while other parts of it are missing.'),
      file: z.string(),
      size_bytes: z.int().nonnegative(),
    })
    .meta({
      id: 'UploadedFile',
      examples: [
        { model: 'local/smollm2-135m', file: 'smollm2-135m-q4_1.gguf', size_bytes: 98_304_000 },
      ],
    }),
  errors: ['invalid_value', 'conflict', 'insufficient_disk'],
});
