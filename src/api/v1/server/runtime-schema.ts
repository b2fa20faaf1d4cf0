import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { errorBodySchema } from '../../kit/error-body.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleRuntime = {
  name: 'llama.cpp-linux-x64-cpu',
  version: 'b11541',
  supported_formats: ['gguf'],
  source: 'release',
  path: '/home/ada/.hearth/runtimes/llama.cpp-linux-x64-cpu-b11541',
  active: true,
  selected: false,
  recommended: true,
  removable: true,
};

const runtimeSchema = named.object('InstalledRuntime', [exampleRuntime], {
  name: z.string(),
  version: z
    .string()
    .describe(
      'Build of llama.cpp, or version of mlx-lm; `unknown` if the binary does not report it.',
    ),
  supported_formats: z.array(z.string()),
  source: z
    .enum(['setting', 'release', 'wheel', 'path'])
    .describe(
      '`setting`: engine.llamaServer; `path`: a llama-server on the PATH; `wheel`: Python packages.',
    ),
  path: z.string(),
  active: z.boolean().describe('Whether the next load of a model in one of its formats uses it.'),
  selected: z.boolean().describe('Whether `use` chose it.'),
  recommended: z.boolean().describe('Whether it is a build that this version of Hearth names.'),
  removable: z.boolean(),
});
export type RuntimeRecord = z.infer<typeof runtimeSchema>;

const runtimesSchema = z
  .object({ runtimes: z.array(runtimeSchema) })
  .meta({ id: 'RuntimeList', examples: [{ runtimes: [exampleRuntime] }] });

export const listRuntimes = defineRoute('GET /api/v1/runtimes', {
  operationId: 'listRuntimes',
  summary: 'List the engine runtimes, best first',
  permission: 'models:read',
  result: runtimesSchema,
  errors: ['runtime_unavailable'],
});

const exampleProgress = {
  type: 'install.progress',
  received_bytes: 1_048_576,
  total_bytes: 15_728_640,
};

const installEventSchema = z
  .discriminatedUnion('type', [
    named.event('install.progress', {
      received_bytes: z.int().nonnegative(),
      total_bytes: z.int().nonnegative().optional(),
    }),
    named.event('install.step', { message: z.string() }),
    named.event('install.end', { runtime: runtimeSchema }),
    errorBodySchema.extend({ type: z.literal('error') }).meta({ id: 'InstallErrorEvent' }),
  ])
  .meta({ id: 'InstallRuntimeEvent', examples: [exampleProgress] });
export type InstallRuntimeEvent = z.infer<typeof installEventSchema>;

export const installRuntime = defineRoute('POST /api/v1/runtimes/install', {
  operationId: 'installRuntime',
  summary: 'Install the runtime that is recommended for this version',
  description:
    'Downloads and runs a program. With `stream` the progress is sent as events: `install.progress`, `install.step`, then `install.end` or `error`. Concurrent requests share one installation; it ends when the last one disconnects.',
  permission: 'admin',
  body: named.strictObject('InstallRuntimeRequest', [{ stream: true }], {
    format: z
      .enum(['gguf', 'mlx'])
      .optional()
      .describe('Format of the models that it runs; `gguf` if absent.'),
    from: z
      .enum(['release', 'wheel'])
      .optional()
      .describe('Source, for `gguf` only; the release, then the wheel, if absent.'),
    backend: z
      .enum(['cpu', 'cuda', 'metal', 'vulkan'])
      .optional()
      .describe('For `gguf` only; the fastest that the machine supports if absent.'),
    stream: z.boolean().default(false),
  }),
  result: runtimeSchema,
  events: installEventSchema,
  errors: ['unrecognized_keys', 'runtime_unavailable', 'shutting_down'],
});

const runtimeNameSchema = z.string().min(1).max(200);
const runtimeVersionSchema = z.string().min(1).max(100);

const exampleSelectRuntimeRequest = { name: exampleRuntime.name, version: exampleRuntime.version };

export const selectRuntime = defineRoute('POST /api/v1/runtimes/use', {
  operationId: 'selectRuntime',
  summary: 'Select the runtime for future loads',
  description:
    'Selects it for models in its formats; loaded models keep their runtime. Null selects the recommended ones. The setting `engine.llamaServer` overrides the selection.',
  permission: 'admin',
  body: named.strictObject('SelectRuntimeRequest', [exampleSelectRuntimeRequest], {
    name: runtimeNameSchema.nullable(),
    version: runtimeVersionSchema.optional().describe('The most recently installed one if absent.'),
  }),
  result: runtimesSchema,
  errors: ['unrecognized_keys', 'runtime_not_found', 'runtime_unavailable'],
});

export const removeRuntime = defineRoute('DELETE /api/v1/runtimes/{name}/{version}', {
  operationId: 'removeRuntime',
  summary: 'Remove an installed runtime',
  permission: 'admin',
  params: z.object({
    name: withExample(runtimeNameSchema, exampleRuntime.name),
    version: withExample(runtimeVersionSchema, exampleRuntime.version),
  }),
  result: z.object({ name: z.string(), version: z.string(), removed: z.literal(true) }).meta({
    id: 'RemovedRuntime',
    examples: [{ name: exampleRuntime.name, version: exampleRuntime.version, removed: true }],
  }),
  errors: ['runtime_not_found'],
});
