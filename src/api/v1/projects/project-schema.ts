import * as z from 'zod';
import { isoTimeSchema, recordNameSchema, textSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { chatRequestSchema, exampleProjectId, projectIdSchema } from '../chat/chat-schema.ts';
import { conversationTitleSchema } from '../conversations/conversation-schema.ts';
import * as named from '../../kit/named.ts';

/** Maximum characters of all files in a project. */
export const maxFilesLength = 10_000_000;
export const maxFiles = 50;
export const maxProjects = 200;

const exampleFileId = 'file_5d0f7a1c4e936d0b8f2a5c7e';
const withoutNul = (text: string) => !text.includes('\0');
const nulMessage = 'It must not contain a NUL character';

const fields = {
  name: conversationTitleSchema.max(80),
  instructions: textSchema
    .max(64_000)
    .refine(withoutNul, nulMessage)
    .describe('System prompt of new conversations; may be empty.'),
  preset: recordNameSchema.nullable().describe('Preset for new conversations.'),
  model: chatRequestSchema.shape.model
    .refine(withoutNul, nulMessage)
    .nullable()
    .describe('Model for new conversations; clients read it.'),
};

const fileSchema = named.object('ProjectFile', {
  file_id: z.string(),
  name: z.string(),
  characters: z.int().nonnegative(),
  created_at: isoTimeSchema,
});
const exampleFile = {
  file_id: exampleFileId,
  name: 'tides.md',
  characters: 5120,
  created_at: '2026-11-02T09:30:00.000Z',
};

const exampleProject = {
  project_id: exampleProjectId,
  name: 'The sea',
  instructions: 'You know everything about the sea.',
  preset: null,
  model: 'hearth/starter-chat',
  files: [exampleFile],
  file_search: 'whole' as const,
  revision: 1,
  created_at: '2026-11-02T09:30:00.000Z',
  updated_at: '2026-11-02T09:30:00.000Z',
};
const projectSchema = named.object('Project', [exampleProject], {
  project_id: projectIdSchema,
  name: z.string(),
  instructions: z.string(),
  preset: z.string().nullable(),
  model: z.string().nullable(),
  files: z.array(fileSchema).describe('Without their texts.'),
  file_search: z
    .enum(['whole', 'indexing', 'meaning_and_words', 'words'])
    .describe(
      'How messages get at the files: `whole`, as long as these are short; else by their passages, which are found by meaning and words, or by words alone while they are indexed or if the library has no embedding model.',
    ),
  revision: z.int().describe('One more with each change.'),
  created_at: isoTimeSchema,
  updated_at: isoTimeSchema,
});
export type ProjectRecord = z.infer<typeof projectSchema>;

const idSchema = (example: string) => withExample(z.string().min(1).max(512), example);
const params = z.object({ project_id: idSchema(exampleProjectId) });
const fileParams = params.extend({ file_id: idSchema(exampleFileId) });

export const listProjects = defineRoute('GET /api/v1/projects', {
  operationId: 'listProjects',
  summary: 'List the projects of the caller, by name',
  permission: 'chat',
  result: z
    .object({ projects: z.array(projectSchema) })
    .meta({ id: 'ProjectList', examples: [{ projects: [exampleProject] }] }),
});

const exampleCreateProjectRequest = {
  name: 'The sea',
  instructions: 'You know everything about the sea.',
};

export const createProject = defineRoute('POST /api/v1/projects', {
  operationId: 'createProject',
  summary: 'Create a project: a folder of conversations with instructions and files',
  permission: 'chat',
  body: named.strictObject('CreateProjectRequest', [exampleCreateProjectRequest], {
    name: fields.name,
    instructions: fields.instructions.default(''),
    preset: fields.preset.default(null),
    model: fields.model.default(null),
  }),
  result: projectSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});

export const getProject = defineRoute('GET /api/v1/projects/{project_id}', {
  operationId: 'getProject',
  summary: 'Get a project',
  permission: 'chat',
  params,
  result: projectSchema,
  errors: ['project_not_found'],
});

export const updateProject = defineRoute('PATCH /api/v1/projects/{project_id}', {
  operationId: 'updateProject',
  summary: 'Change a project',
  permission: 'chat',
  params,
  body: named.strictObject('UpdateProjectRequest', [{ name: 'The deep sea', revision: 1 }], {
    ...z.object(fields).partial().shape,
    revision: z
      .int()
      .min(1)
      .max(2 ** 31 - 2)
      .optional()
      .describe('The revision that the request changes; any if absent.'),
  }),
  result: projectSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'conflict', 'project_not_found'],
});

export const deleteProject = defineRoute('DELETE /api/v1/projects/{project_id}', {
  operationId: 'deleteProject',
  summary: 'Delete a project with its files; its conversations stay',
  permission: 'chat',
  params,
  result: z.object({ project_id: z.string(), deleted: z.literal(true) }).meta({
    id: 'DeletedProject',
    examples: [{ project_id: exampleProjectId, deleted: true }],
  }),
  errors: ['project_not_found'],
});

export const addProjectFile = defineRoute('POST /api/v1/projects/{project_id}/files', {
  operationId: 'addProjectFile',
  summary: 'Add the text of a file to a project',
  description: `A project may have ${maxFiles} files, of ${maxFilesLength} characters together. The messages of its conversations have the files if they fit into the context, else the passages that suit the message.`,
  permission: 'chat',
  params,
  body: named.strictObject('AddProjectFileRequest', [{ name: 'tides.md', text: '# Tides' }], {
    name: conversationTitleSchema,
    text: textSchema.min(1).max(maxFilesLength).refine(withoutNul, nulMessage),
  }),
  result: fileSchema.meta({ id: 'AddedProjectFile', examples: [exampleFile] }),
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value', 'project_not_found'],
});

export const getProjectFile = defineRoute('GET /api/v1/projects/{project_id}/files/{file_id}', {
  operationId: 'getProjectFile',
  summary: 'Get a file of a project with its text',
  permission: 'chat',
  params: fileParams,
  result: fileSchema.extend({ text: z.string() }).meta({
    id: 'ProjectFileText',
    examples: [{ ...exampleFile, text: '# Tides' }],
  }),
  errors: ['project_not_found'],
});

export const deleteProjectFile = defineRoute(
  'DELETE /api/v1/projects/{project_id}/files/{file_id}',
  {
    operationId: 'deleteProjectFile',
    summary: 'Delete a file of a project',
    permission: 'chat',
    params: fileParams,
    result: z.object({ file_id: z.string(), deleted: z.literal(true) }).meta({
      id: 'DeletedProjectFile',
      examples: [{ file_id: exampleFileId, deleted: true }],
    }),
    errors: ['project_not_found'],
  },
);
