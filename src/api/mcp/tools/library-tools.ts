import * as z from 'zod';
import { formatSpeechScript } from '../../../speech/script/format-speech-script.ts';
import {
  speechScriptRequestSchema,
  speechScriptSchema,
  speechTurnSchema,
} from '../../../speech/script/schema.ts';
import { listConversations } from '../../v1/conversations/conversation-schema.ts';
import { toListed } from '../../v1/conversations/conversations.ts';
import { toV1Model } from '../../v1/models/model-record.ts';
import { listModels, modelTypeSchema, v1ModelSchema } from '../../v1/models/model-schema.ts';
import { createSpeechScript } from '../../v1/tools/speech-script-schema.ts';
import { listModels as listNamed, servingInstances, servicesFor } from '../../kit/named-models.ts';
import { defineTool } from '../tool.ts';

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

export const listModelsTool = defineTool({
  name: 'list_models',
  title: 'List models',
  description: 'Lists the models of this server: those for chats, for embeddings and for ranking.',
  permission: listModels.permission,
  annotations,
  input: z.strictObject({
    type: modelTypeSchema.optional().describe('Only the models of this type.'),
  }),
  output: z.object({
    models: z.array(
      v1ModelSchema
        .pick({
          key: true,
          type: true,
          display_name: true,
          params_string: true,
          max_context_length: true,
          capabilities: true,
        })
        .extend({
          key: z.string().describe('The name for the other tools.'),
          loaded: z.boolean().describe('Whether it answers without being loaded first.'),
        }),
    ),
  }),
  run: async ({ type }, { services, context }) => {
    const named = await listNamed(servicesFor(services, context.caller));
    const instances = services.pool.list();
    const records = named.map((each) =>
      toV1Model(each, servingInstances(services, instances, each)),
    );
    return {
      models: records
        .filter((record) => type === undefined || record.type === type)
        .map((record) => ({
          key: record.key,
          type: record.type,
          display_name: record.display_name,
          params_string: record.params_string,
          max_context_length: record.max_context_length,
          ...(record.capabilities && { capabilities: record.capabilities }),
          loaded: record.loaded_instances.length > 0,
        })),
    };
  },
});

const { conversations } = listConversations.result.shape;

export const searchConversationsTool = defineTool({
  name: 'search_conversations',
  title: 'Search conversations',
  description:
    'Searches your conversations on this server, in titles, messages and answers. All words must occur. To continue a conversation that is found, pass its `last_response_id` to `chat`.',
  permission: listConversations.permission,
  annotations,
  input: z.strictObject({
    search: z.string().trim().min(1).max(512).describe('Words, separated by spaces.'),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: z.object({ conversations }),
  run: async ({ search, limit }, { services: { store }, context }) => {
    const ownerId = context.caller.tokenId;
    const page = await store.conversations.page({ ownerId, limit, search });
    return { conversations: page.conversations.map(toListed) };
  },
});

const [textScriptSchema] = speechScriptSchema.options;

export const formatSpeechScriptTool = defineTool({
  name: 'format_speech_script',
  title: 'Format a speech script',
  description:
    'Converts text to a script for a speech synthesizer: removes what is not spoken and labels the speakers.',
  permission: createSpeechScript.permission,
  annotations,
  input: speechScriptRequestSchema,
  output: textScriptSchema.extend({
    output: speechScriptRequestSchema.shape.output.unwrap().unwrap(),
    script: z.union([z.string(), z.array(speechTurnSchema)]),
  }),
  run: async (options) => formatSpeechScript(options),
});
