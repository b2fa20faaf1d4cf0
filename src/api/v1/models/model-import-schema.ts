import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { importPrograms } from '../../../library/import/import-program.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const folderNameSchema = z.string().min(1).max(128);

export const importRequestSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .nullish()
      .describe(
        'Absolute path on the machine of the server: a GGUF file, or a folder with any number of models. With `from`, the folder of models of that program; found by its rules if absent.',
      ),
    from: z
      .enum(importPrograms)
      .nullish()
      .describe('Program whose models are added to the library. Its files do not change.'),
    dry_run: z
      .boolean()
      .nullish()
      .meta({ default: false })
      .describe('With `from`: lists the models in `found` without a change.'),
    publisher: folderNameSchema
      .nullish()
      .describe(
        'First part of the key. Absent: taken from the path, else `local`. Not with `from`.',
      ),
    repository: folderNameSchema
      .nullish()
      .describe('Second part of the key; from the file name if absent. Not with `from`.'),
    method: z
      .enum(['copy', 'move', 'hardlink', 'symlink', 'link'])
      .nullish()
      .describe(
        'How the files get into the library; `copy` if absent. `link` is a hard link where the file system allows it, else a symbolic link, and is used if absent with `from`, which refuses `move`.',
      ),
  })
  .meta({
    id: 'ImportRequest',
    examples: [{ path: '/data/models/smollm2-135m-q4_1.gguf' }, { from: 'ollama', dry_run: true }],
  });

export const importModel = defineRoute('POST /api/v1/models/import', {
  operationId: 'importModel',
  summary: 'Import models from a path on the machine of the server',
  permission: 'admin',
  body: importRequestSchema,
  result: named.object('ImportResult', [{ models: ['local/smollm2-135m'], skipped: [] }], {
    models: z.array(z.string()).describe('Keys of the imported models.'),
    skipped: z
      .array(z.object({ name: z.string(), code: z.string(), message: z.string() }))
      .describe('Files of a folder that were not imported, with the reason.'),
    found: z
      .array(
        z.object({
          model: z.string().describe('The key that it gets.'),
          size_bytes: z.int().nonnegative(),
          quantizations: z.array(z.string()),
          license: z.string().nullable(),
          in_library: z.boolean(),
        }),
      )
      .optional()
      .describe('With `dry_run`: the models that the program keeps.'),
  }),
  errors: ['unrecognized_keys', 'invalid_value', 'conflict', 'insufficient_disk'],
});

const exampleUploadedFile = {
  model: 'local/smollm2-135m',
  file: 'smollm2-135m-q4_1.gguf',
  size_bytes: 98_304_000,
};

export const uploadModelFile = defineRoute(
  'PUT /api/v1/models/files/{publisher}/{repository}/{file}',
  {
    operationId: 'uploadModelFile',
    summary: 'Upload a GGUF file into the library',
    description:
      'The body is the content of the file. It is written to disk while it arrives and added to the library when it ' +
      'is complete and its header is valid; an upload that breaks off leaves nothing. Upload the parts of a split ' +
      'model, and its projector, one by one.',
    permission: 'models:write',
    params: z.object({
      publisher: withExample(folderNameSchema, 'local'),
      repository: withExample(folderNameSchema, 'smollm2-135m'),
      file: withExample(z.string().min(6).max(255), 'smollm2-135m-q4_1.gguf').describe(
        'Name of the file, which ends with `.gguf`.',
      ),
    }),
    upload: { contentType: 'application/octet-stream' },
    result: named.object('UploadedFile', [exampleUploadedFile], {
      model: z
        .string()
        .nullable()
        .describe('Key of the model; null while other parts of it are missing.'),
      file: z.string(),
      size_bytes: z.int().nonnegative(),
    }),
    errors: ['invalid_value', 'conflict', 'insufficient_disk'],
  },
);
